/* SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <math.h>

/* Not static: what nothing writes would be known to be zero. */
__thread double a[WORK_MOST], b[WORK_MOST], c[WORK_MOST];
__thread float x[WORK_MOST], y[WORK_MOST];
__thread long integers[WORK_MOST];
static __thread volatile double result;

void work_dot(int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    result = sum;
}

void work_triad(int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}

void work_axpy_single(int n)
{
    for (int i = 0; i < n; i++)
        y[i] += 3.0f * x[i];
}

void work_divide(int n)
{
    for (int i = 0; i < n; i++)
        c[i] = sqrt(b[i] / 7.0);
}

void work_integers(int n)
{
    for (int i = 0; i < n; i++)
        integers[i] = integers[i] * 3 + i;
}

static __attribute__((noinline)) double one_more(double value)
{
    return value + 1.0;
}

/* A branch that is taken every other time, and calls. */
void work_odd(int n)
{
    for (int i = 0; i < n; i++)
        if (i % 2 == 1)
            a[i] = one_more(a[i]);
}
