/* SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

enum { LENGTH = 1024 };

/* The sums are needed, and depend on each other from round to round: no compiler leaves them out. */
double work(int rounds)
{
    double value[LENGTH], sum = 0;
    for (int i = 0; i < LENGTH; i++)
        value[i] = 1.0 / (i + 1);
    for (int round = 0; round < rounds; round++)
        for (int i = 1; i < LENGTH; i++) {
            value[i] = 0.5 * value[i] + 0.5 * value[i - 1];
            if (value[i] > 0.25)
                sum += value[i];
        }
    return sum;
}
