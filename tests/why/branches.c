/* SPDX-License-Identifier: BSD-3-Clause
 * A branch that nobody can foresee. */
#include <stdio.h>
#include <stdlib.h>

static volatile long above, below;

int main(void)
{
    enum { N = 100000, TURNS = 300 };
    static unsigned char data[N];
    long sum = 0;
    srand(1);
    for (int i = 0; i < N; i++)
        data[i] = (unsigned char)(rand() >> 8);
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < N; i++)
            if (data[i] >= 128) /* fault */
                above = i;
            else
                below = i;
    printf("%ld\n", sum + above + below);
}
