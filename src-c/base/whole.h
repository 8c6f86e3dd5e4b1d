/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <limits.h>

/* The whole number of a real one, towards 0. The conversion of one outside the range, or of none, is
 * undefined: here it is the nearest there is, and 0. */
static inline long long whole_of(double value)
{
    if (value != value) /* no number: infinity times 0 */
        return 0;
    if (value >= 9223372036854775807.0)
        return LLONG_MAX;
    return value <= -9223372036854775808.0 ? LLONG_MIN : (long long)value;
}
