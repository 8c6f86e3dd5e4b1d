/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that add to one number: where two meet, one of them tries again. */
#include <math.h>
#include <stdio.h>

static double total;

__attribute__((noipa)) static void add(int i)
{
#pragma omp atomic
    total += i * 0.5;
}

int main(void)
{
#pragma omp parallel for schedule(static) num_threads(4)
    for (int i = 0; i < 4000000; i++)
        add(i);
    return !isfinite(total);
}
