/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that take turns with a lock. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double total;

static void *work(void *argument)
{
    double own = *(int *)argument;
    for (int i = 0; i < 600; i++) {
        for (int j = 0; j < 20000; j++)
            own = own * 0.999 + j;
        pthread_mutex_lock(&lock);
        total += own;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[6];
    int number[6];
    for (int i = 0; i < 6; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, work, &number[i]);
    }
    for (int i = 0; i < 6; i++)
        pthread_join(thread[i], NULL);
    printf("%d\n", total > 0);
    return 0;
}
