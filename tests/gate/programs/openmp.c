/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop that threads of OpenMP divide in equal parts. */
#include <stdio.h>

static double a[100000];

int main(void)
{
    double sum = 0;
    for (int k = 0; k < 1000; k++) {
#pragma omp parallel for schedule(static) reduction(+ : sum) num_threads(4)
        for (int i = 0; i < 100000; i++) {
            a[i] = a[i] * 0.5 + i;
            sum += a[i];
        }
    }
    printf("%g\n", sum);
    return 0;
}
