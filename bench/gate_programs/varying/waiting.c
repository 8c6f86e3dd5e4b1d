/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that asks again and again until another one is done. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int done;

__attribute__((noipa)) static void wait_for_it(void)
{
    while (!atomic_load(&done))
        ;
}

static void *work(void *unused)
{
    double x = 1;
    for (int i = 0; i < 20000000; i++)
        x = x * 0.999 + i;
    atomic_store(&done, 1);
    fprintf(stderr, x > 0 ? "" : "!");
    return unused;
}

int main(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, work, NULL) != 0)
        return 1;
    wait_for_it();
    return pthread_join(other, NULL);
}
