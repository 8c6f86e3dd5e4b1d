/* SPDX-License-Identifier: BSD-3-Clause */
/* A Fourier transform of powers of two. */
#include <complex.h>
#include <math.h>
#include <stdio.h>

enum { N = 1 << 14 };

static double complex x[N];

static void transform(double complex *at, int n, int step)
{
    static double complex even[N];
    if (n == 1)
        return;
    transform(at, n / 2, 2 * step);
    transform(at + step, n / 2, 2 * step);
    for (int k = 0; k < n / 2; k++) {
        double complex turn = cexp(-2 * 3.14159265358979 * I * k / n) * at[(2 * k + 1) * step];
        even[k] = at[2 * k * step] + turn;
        even[k + n / 2] = at[2 * k * step] - turn;
    }
    for (int k = 0; k < n; k++)
        at[k * step] = even[k];
}

int main(void)
{
    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < N; i++)
            x[i] = sin(i * 0.1 * (k + 1));
        transform(x, N, 1);
    }
    printf("%d\n", isfinite(cabs(x[5])) != 0);
    return 0;
}
