/* SPDX-License-Identifier: BSD-3-Clause
 * Threads that hold a lock while they do nothing. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void *work(void *unused)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&mutex); /* fault */
        usleep(2000);               /* fault */
        sum++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    printf("%ld\n", sum);
}
