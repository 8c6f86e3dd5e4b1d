/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels whose arithmetic compilers leave to functions: complex numbers, powers with integers, and at -O0
 * square roots.
 */
#include "marks.h"

#include <math.h>

enum { N = 200 };

static double re[N], im[N];
static volatile double result;

/* Factors of all sizes; a few overflow, vanish, or are not numbers. */
static void prepare(void)
{
    static const double odd[] = {1e-310, 1e305, 0, INFINITY, NAN, 1e-160, 1e160, -0.0};
    for (int i = 0; i < N; i++) {
        re[i] = ldexp(1 + i % 7 * 0.125, i * 37 % 401 - 200);
        im[i] = ldexp(1 - i % 5 * 0.0625, i * 53 % 401 - 200) * (i % 2 == 0 ? 1 : -1);
        if (i % 10 == 3)
            re[i] = odd[i / 10 % 8];
        if (i % 14 == 5)
            im[i] = odd[i / 14 % 8];
    }
}

static void empty(void)
{
}

#define COMPLEX(kind, real)                                                                                  \
    static void product_of_##kind##s(void)                                                                   \
    {                                                                                                        \
        for (int i = 0; i + 1 < N; i++) {                                                                    \
            real _Complex a = __builtin_complex((real)re[i], (real)im[i]),                                   \
                          b = __builtin_complex((real)re[i + 1], (real)im[i + 1]);                           \
            result = (double)__real__(a * b);                                                                \
        }                                                                                                    \
    }                                                                                                        \
    static void quotient_of_##kind##s(void)                                                                  \
    {                                                                                                        \
        for (int i = 0; i + 1 < N; i++) {                                                                    \
            real _Complex a = __builtin_complex((real)re[i], (real)im[i]),                                   \
                          b = __builtin_complex((real)re[i + 1], (real)im[i + 1]);                           \
            result = (double)__imag__(a / b);                                                                \
        }                                                                                                    \
    }

COMPLEX(float, float)
COMPLEX(double, double)
#ifdef __x86_64__
COMPLEX(extended, long double)
#endif

/* The exponent is not known to the compiler. */
double __powidf2(double x, int n);
float __powisf2(float x, int n);
static void powers(void)
{
    for (int i = 0; i < N; i++)
        result = __powidf2(re[i], i % 23 - 11) + (double)__powisf2((float)im[i], i % 5);
}

static void roots(void)
{
    for (int i = 0; i < N; i++)
        result = sqrt(re[i]) + (double)sqrtf((float)fabs(im[i]));
}

static void measure(const char *name, void (*kernel)(void))
{
    mark_begin();
    kernel();
    mark_end(name);
}

int main(void)
{
    prepare();
    measure("empty", empty);
    measure("product_of_floats", product_of_floats);
    measure("quotient_of_floats", quotient_of_floats);
    measure("product_of_doubles", product_of_doubles);
    measure("quotient_of_doubles", quotient_of_doubles);
#ifdef __x86_64__
    measure("product_of_extendeds", product_of_extendeds);
    measure("quotient_of_extendeds", quotient_of_extendeds);
#endif
    measure("powers", powers);
    measure("roots", roots);
    return 0;
}
