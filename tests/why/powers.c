/* SPDX-License-Identifier: BSD-3-Clause
 * A function of a library in each turn. */
#include <math.h>
#include <stdio.h>

int main(void)
{
    enum { N = 1000 };
    static double x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = 1 + 1e-3 * i;
    for (int turn = 0; turn < 6000; turn++)
        for (int i = 0; i < N; i++)
            y[i] += pow(x[i], 1.7 + 1e-4 * turn); /* fault */
    printf("%g\n", y[N / 2]);
}
