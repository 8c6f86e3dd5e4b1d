/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Half precision as compilers have processors of AVX512-FP16 calculate it: sums, fused products, divisions,
 * roots, comparisons, conversions, and products of complex numbers.
 */
#include "marks.h"

#include <stddef.h>

enum { N = 300 };

/* Not static: what nobody reads would not be calculated. */
_Float16 x[N], y[N], z[N];
_Float16 _Complex u[N], v[N], w[N];
float f[N];
int whole[N];
static volatile _Float16 result;

static void empty(void)
{
}

static void triad(void)
{
    for (int i = 0; i < N; i++)
        z[i] = x[i] + y[i] * (_Float16)0.5;
}

static void dot(void)
{
    _Float16 sum = 0;
    for (int i = 0; i < N; i++)
        sum += x[i] * y[i];
    result = sum;
}

static void roots(void)
{
    for (int i = 0; i < N; i++)
        z[i] = (_Float16)__builtin_sqrtf16(x[i]) / y[i] - x[i];
}

static void limits(void)
{
    for (int i = 0; i < N; i++)
        z[i] = x[i] > y[i] ? x[i] : y[i] < (_Float16)1 ? y[i] : (_Float16)1;
}

static void conversions(void)
{
    for (int i = 0; i < N; i++) {
        f[i] = (float)x[i] * 2;
        z[i] = (_Float16)whole[i];
        whole[i] = (int)y[i];
    }
}

static void complex_products(void)
{
    for (int i = 0; i < N; i++)
        w[i] = u[i] * v[i];
}

static void complex_sum(void)
{
    for (int i = 0; i < N; i++)
        w[i] += u[i] * v[i];
}

static void measure(const char *name, void (*volatile run)(void))
{
    mark_begin();
    run();
    mark_end(name);
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = (_Float16)(i % 7 + 1);
        y[i] = (_Float16)(i % 5 + 1) / 4;
        u[i] = x[i];
        v[i] = y[i];
        whole[i] = i % 9;
    }
    measure("empty", empty);
    measure("triad", triad);
    measure("dot", dot);
    measure("roots", roots);
    measure("limits", limits);
    measure("conversions", conversions);
    measure("complex_products", complex_products);
    measure("complex_sum", complex_sum);
    return 0;
}
