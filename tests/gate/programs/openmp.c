/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop that threads of OpenMP divide in equal parts. A reduction would vary: its atomic addition is tried
 * again where two threads meet. */
#include <stdio.h>

static double a[100000];

int main(void)
{
    double sum = 0;
    for (int k = 0; k < 1000; k++) {
#pragma omp parallel for schedule(static) num_threads(4)
        for (int i = 0; i < 100000; i++)
            a[i] = a[i] * 0.5 + i;
        sum += a[k];
    }
    printf("%g\n", sum);
    return 0;
}
