/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counted functions in the place of those of the compiler's library, and of sqrt: what compilers call for
 * products and quotients of complex numbers, for powers with an integer, and without optimisation for roots.
 * From an archive, so that only programs that call one have them. Results are the same bit by bit; where they
 * are not numbers, they are none.
 *
 * OLDER: with the quotients that libgcc has before 12.
 *
 * For other processors than its own papi_counted has the compiler compile it when it links: it includes
 * nothing but what is beside it. No option that changes arithmetic may be given.
 */
#include <float.h>

/* The address of the C library's errno; NULL in programs that have none. */
extern int *__errno_location(void) __attribute__((weak));

#define OWN __attribute__((weak, visibility("hidden")))

/* Sums of products, as libgcc has them on this processor. */
#ifdef __aarch64__
#define FUSED_SUM(a, b, c) MATH(fma)(a, b, c)
#define FUSED_REST(a, b, c) MATH(fma)(-(a), b, c)
#else
#define FUSED_SUM(a, b, c) ((a) * (b) + (c))
#define FUSED_REST(a, b, c) ((c) - (a) * (b))
#endif

/* Compilers may calculate what a condition excludes, and leave it. */
#define ONLY_HERE() __asm__ volatile("")

#define REAL float
#define OF(name) name##_of_floats
#define MATH(name) __builtin_##name##f
#define PRODUCT __mulsc3
#ifdef OLDER
#define QUOTIENT __divsc3
#endif
#define POWER __powisf2
#define ROOT "sqrtf"
#include "arithmetic.def"

#define REAL double
#define OF(name) name##_of_doubles
#define MATH(name) __builtin_##name
#define PRODUCT __muldc3
#define POWER __powidf2
#define ROOT "sqrt"
#define QUOTIENT __divdc3
#define LEAST DBL_MIN
#define MOST DBL_MAX
#define EPSILON DBL_EPSILON
#include "arithmetic.def"

#ifdef __x86_64__
#define REAL long double
#define OF(name) name##_of_long_doubles
#define MATH(name) __builtin_##name##l
#define PRODUCT __mulxc3
#define POWER __powixf2
#define ROOT "sqrtl"
#define QUOTIENT __divxc3
#define LEAST LDBL_MIN
#define MOST LDBL_MAX
#define EPSILON LDBL_EPSILON
#include "arithmetic.def"
#endif

#ifndef OLDER
#define MATH(name) __builtin_##name
/* Quotients of floats, calculated in double, where nothing overflows or vanishes. */
OWN float _Complex __divsc3(float a, float b, float c, float d)
{
    double p = a, q = b, r = c, s = d, whole = FUSED_SUM(r, r, s * s);
    float x = (float)(FUSED_SUM(p, r, q * s) / whole), y = (float)(FUSED_SUM(q, r, -(p * s)) / whole);
    if (__builtin_expect(__builtin_isnan(x) && __builtin_isnan(y), 0))
        return recovered_of_floats(x, y, a, b, c, d);
    return __builtin_complex(x, y);
}
#endif
