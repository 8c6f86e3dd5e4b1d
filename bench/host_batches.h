/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times of batches on this machine, for programs that compare two things in one run: they let batches of the
 * two alternate, so that both see the machine in the same state, and compare medians.
 */
#pragma once

#include <stdlib.h>
#include <time.h>

enum { BATCHES = 401 };

/* Nanoseconds of a clock. */
static inline double clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of all batches, which are sorted. */
static inline double median_of(double batch[BATCHES])
{
    qsort(batch, BATCHES, sizeof *batch, compare_times);
    return batch[BATCHES / 2];
}
