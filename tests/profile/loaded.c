/* SPDX-License-Identifier: BSD-3-Clause */
double in_library(long turns);

double in_library(long turns)
{
    volatile double start = 1;
    double x = start;
    for (long i = 0; i < turns; i++)
        x = x * 0.999999 + 0.1;
    return x;
}
