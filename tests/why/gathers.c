/* SPDX-License-Identifier: BSD-3-Clause
 * An index in no order. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { N = 1 << 20, TURNS = 20 };
    static double x[N];
    static int index[N];
    double sum = 0;
    srand(1);
    for (int i = 0; i < N; i++) {
        x[i] = i;
        index[i] = (int)(((unsigned)rand() * 2654435761U) % N);
    }
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < N; i++)
            sum += x[index[i]]; /* fault */
    printf("%g\n", sum);
}
