/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the results of what compilers call for complex numbers, powers and roots, for ordinary numbers, for
 * infinite, small, large ones, and for none: the counted program has to print what the other one does.
 */
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
#define EXTENDED(...) __VA_ARGS__
#else
#define EXTENDED(...)
#endif
#define COUNT(array) (sizeof(array) / sizeof *(array))

float _Complex __mulsc3(float, float, float, float), __divsc3(float, float, float, float);
double _Complex __muldc3(double, double, double, double), __divdc3(double, double, double, double);
float __powisf2(float, int);
double __powidf2(double, int);
float sqrtf(float);
double sqrt(double);
EXTENDED(long double _Complex __mulxc3(long double, long double, long double, long double);
         long double _Complex __divxc3(long double, long double, long double, long double);
         long double __powixf2(long double, int); long double sqrtl(long double);)

static uint64_t number(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* All NaN are one. FNV-1a of the numbers' bytes. */
static uint64_t hash = 14695981039346656037u;
static void add(const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}
#define ADD(value, bytes)                                                                                    \
    do {                                                                                                     \
        __typeof__(value) added = __builtin_isnan(value) ? 77 : (value);                                     \
        add(&added, bytes);                                                                                  \
    } while (0)

static const double special[] = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 3.0,
                                 0.1,
                                 DBL_MIN,
                                 -DBL_MIN,
                                 DBL_MAX,
                                 -DBL_MAX,
                                 DBL_EPSILON,
                                 1e-200,
                                 -1e200,
                                 1e308,
                                 4.9e-324,
                                 DBL_MAX / 2,
                                 DBL_MIN * 2,
                                 FLT_MIN,
                                 FLT_MAX,
                                 -FLT_MAX,
                                 1e-40,
                                 1e-300,
                                 -1e-310,
                                 2.2e-16,
                                 1e292,
                                 1e-292,
                                 1e154,
                                 1e-154,
                                 -7.5e307,
                                 __builtin_inf(),
                                 -__builtin_inf(),
                                 __builtin_nan("")};

/* A pseudo-random operand: a quarter are special values, a quarter are near 1, and the rest have any bits. */
static double any(void)
{
    uint64_t bits = number();
    double value;
    if (bits % 4 == 0)
        return special[number() % COUNT(special)];
    if (bits % 4 == 1)
        return (double)(int64_t)number() / 1e18;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float any_float(void)
{
    uint32_t bits = (uint32_t)number();
    float value;
    if (bits % 2 == 0)
        return (float)any();
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define COMPLEX(product, quotient, real, bytes)                                                              \
    {                                                                                                        \
        real _Complex p = product(a, b, c, d), q = quotient(a, b, c, d);                                     \
        ADD(__real__ p, bytes);                                                                              \
        ADD(__imag__ p, bytes);                                                                              \
        ADD(__real__ q, bytes);                                                                              \
        ADD(__imag__ q, bytes);                                                                              \
    }

static void doubles(double a, double b, double c, double d)
{
    COMPLEX(__muldc3, __divdc3, double, 8)
}

static void floats(float a, float b, float c, float d){COMPLEX(__mulsc3, __divsc3, float, 4)}

EXTENDED(static void extended(long double a, long double b, long double c,
                              long double d){COMPLEX(__mulxc3, __divxc3, long double, 10)})

    static void all_special(void)
{
    for (size_t a = 0; a < COUNT(special); a++)
        for (size_t b = 0; b < COUNT(special); b++)
            for (size_t c = 0; c < COUNT(special); c++)
                for (size_t d = 0; d < COUNT(special); d++) {
                    double p = special[a], q = special[b], r = special[c], s = special[d];
                    doubles(p, q, r, s);
                    if ((a + b + c + d) % 7 == 0) {
                        floats((float)p, (float)q, (float)r, (float)s);
                        EXTENDED(extended(p, q, r, s * LDBL_MIN / DBL_MIN);)
                    }
                }
}

static void random_ones(void)
{
    for (int i = 0; i < 200000; i++) {
        doubles(any(), any(), any(), any());
        floats(any_float(), any_float(), any_float(), any_float());
        EXTENDED(extended(any() * LDBL_MAX / DBL_MAX, any(), any() * (long double)1e4000L, any() / 3.0L);)
    }
}

static void powers(void)
{
    static const int n[] = {0, 1, -1, 2, -2, 3, 7, -7, 10, 31, 64, -100, 1023, INT_MAX, INT_MIN, INT_MIN + 1};
    for (int i = 0; i < 20000; i++) {
        int exponent = i % 2 == 0 ? n[number() % COUNT(n)] : (int)(number() % 41) - 20;
        double x = any();
        ADD(__powidf2(x, exponent), 8);
        ADD(__powisf2((float)x, exponent), 4);
        EXTENDED(ADD(__powixf2(x, exponent), 10);)
    }
}

static void roots(void)
{
    for (int i = 0; i < 20000; i++) {
        volatile double x = any();
        errno = 0;
        ADD(sqrt(x), 8);
        add(&errno, sizeof errno);
        errno = 0;
        ADD(sqrtf((float)x), 4);
        add(&errno, sizeof errno);
        EXTENDED(ADD(sqrtl(x), 10);)
    }
}

int main(void)
{
    void (*const part[])(void) = {all_special, random_ones, powers, roots};
    for (size_t i = 0; i < COUNT(part); i++) {
        part[i]();
        printf("%zu %016llx\n", i, (unsigned long long)hash);
    }
    return 0;
}
