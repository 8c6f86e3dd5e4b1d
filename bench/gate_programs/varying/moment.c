/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that begin with the time. */
#include <stdlib.h>
#include <time.h>

__attribute__((noipa)) static int collatz(unsigned long n)
{
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 != 0 ? 3 * n + 1 : n / 2;
    return steps;
}

int main(void)
{
    struct timespec now;
    int steps = 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    srand((unsigned)now.tv_nsec);
    for (int i = 0; i < 1000; i++)
        steps += collatz(1 + (unsigned long)rand() % 100000);
    return steps == 0;
}
