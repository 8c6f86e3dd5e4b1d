/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For the routines that Fortran programs with integers of 8 bytes call, PAPI8_*: what such an integer is as
 * an int, and the way back.
 */
#pragma once

#include <limits.h>
#include <string.h>

/* Reads an integer of the program's. Where the lower half comes first, no more than that is read: a constant
 * may be a shorter integer. */
static inline int fpapi_int(const long long *wide)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    int value;
    memcpy(&value, wide, sizeof value);
    return value;
#else
    return (int)*wide;
#endif
}

/* Widens a result in place. What a failed call (result < 0) left alone keeps all of its bytes. */
static inline void fpapi_widen(long long *to, int value, int result)
{
    if (result >= 0 || value != fpapi_int(to))
        *to = value;
}

/* An amount that no int holds is the largest or smallest one. */
static inline int fpapi_amount(const long long *wide)
{
    if (*wide > INT_MAX)
        return INT_MAX;
    return *wide < INT_MIN ? INT_MIN : (int)*wide;
}

/* n numbers as ints, to be freed. NULL: there is no memory. */
int *fpapi_narrow(const long long *wide, int n);

/* Copies back as many as there are, unless the call failed, and frees the ints. */
void fpapi_widen_array(long long *wide, int *values, int n, int result);

/* Frees ints that were only read. */
void fpapi_release(int *values);
