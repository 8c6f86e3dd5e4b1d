/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Built with each of the compiler's sanitizers, whose run times reserve terabytes of addresses. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *numbers)
{
    double *x = numbers;
    for (int i = 0; i < 100; i++)
        x[i] = x[i] * 0.5 + i;
    return NULL;
}

int main(void)
{
    double *x = calloc(100, sizeof *x);
    pthread_t thread;
    if (x == NULL || pthread_create(&thread, NULL, work, x) != 0)
        return 1;
    pthread_join(thread, NULL);
    printf("%g\n", x[99]);
    free(x);
    return 3;
}
