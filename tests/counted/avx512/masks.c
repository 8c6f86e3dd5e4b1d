/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Code that compilers and programmers write for AVX-512 alone: loops whose rest is masked, conditions as
 * masks, gathers, scatters, compression, estimates, embedded broadcasts and roundings; in double and single
 * precision.
 */
#include "marks.h"

#include <immintrin.h>

enum { N = 77 };

static double x[N], y[N], z[N];
static float f[N], g[N], h[N];
static int at[N];
static volatile double result;

static void prepare(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = 1 + i % 7 * 0.25;
        y[i] = 2 - i % 5 * 0.5;
        z[i] = 1;
        f[i] = (float)x[i];
        g[i] = (float)y[i];
        h[i] = 1;
        at[i] = (i * 31) % N;
    }
}

static void empty(void)
{
}

static __mmask8 rest8(int left)
{
    return (__mmask8)(left >= 8 ? 0xff : (1 << left) - 1);
}

static __mmask16 rest16(int left)
{
    return (__mmask16)(left >= 16 ? 0xffff : (1 << left) - 1);
}

static void dot(void)
{
    __m512d sum = _mm512_setzero_pd();
    for (int i = 0; i < N; i += 8) {
        __mmask8 k = rest8(N - i);
        sum = _mm512_mask3_fmadd_pd(_mm512_maskz_loadu_pd(k, x + i), _mm512_maskz_loadu_pd(k, y + i), sum, k);
    }
    result = _mm512_reduce_add_pd(sum);
}

static void triad(void)
{
    __m512 two = _mm512_set1_ps(2);
    for (int i = 0; i < N; i += 16) {
        __mmask16 k = rest16(N - i);
        __m512 right = _mm512_maskz_mul_ps(k, two, _mm512_maskz_loadu_ps(k, g + i));
        _mm512_mask_storeu_ps(h + i, k, _mm512_mask_add_ps(right, k, right, _mm512_maskz_loadu_ps(k, f + i)));
    }
}

static void conditions(void)
{
    for (int i = 0; i < N; i++)
        z[i] = y[i] > 1 ? x[i] / y[i] : x[i] + z[i];
    for (int i = 0; i < N; i++)
        if (g[i] > 1)
            h[i] = f[i] * g[i] + h[i];
}

static void gathers(void)
{
    for (int i = 0; i < N; i++)
        z[i] += x[at[i]] * y[i];
    for (int i = 0; i < N; i++)
        h[at[i]] = f[i] - g[at[i]];
}

static void compress(void)
{
    double *to = z;
    for (int i = 0; i < N; i += 8) {
        __m512d value = _mm512_maskz_loadu_pd(rest8(N - i), x + i);
        __mmask8 k = _mm512_mask_cmp_pd_mask(rest8(N - i), value, _mm512_set1_pd(1.5), _CMP_GT_OQ);
        _mm512_mask_compressstoreu_pd(to, k, value);
        to += __builtin_popcount(k);
    }
    result = (double)(to - z);
}

static void estimates(void)
{
    for (int i = 0; i + 16 <= N; i += 16) {
        __m512 value = _mm512_loadu_ps(f + i), inverse = _mm512_rcp14_ps(value);
        inverse = _mm512_mul_ps(inverse, _mm512_fnmadd_ps(inverse, value, _mm512_set1_ps(2)));
        _mm512_storeu_ps(h + i, _mm512_mul_ps(inverse, _mm512_rsqrt14_ps(value)));
    }
    for (int i = 0; i + 8 <= N; i += 8)
        _mm512_storeu_pd(
            z + i, _mm512_sqrt_pd(_mm512_max_pd(_mm512_loadu_pd(x + i),
                                                _mm512_min_pd(_mm512_loadu_pd(y + i), _mm512_set1_pd(3)))));
}

static void roundings(void)
{
    for (int i = 0; i + 8 <= N; i += 8) {
        __m512d value = _mm512_loadu_pd(x + i);
        value = _mm512_add_round_pd(value, value, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
        value = _mm512_scalef_pd(
            _mm512_div_round_pd(value, _mm512_set1_pd(3), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC), value);
        _mm512_storeu_pd(z + i, _mm512_roundscale_pd(value, 0));
    }
}

static void integers(void)
{
    int sum = 0;
    for (int i = 0; i < N; i++)
        sum += at[i] > 30 ? at[i] * 3 : -at[i];
    long long bits = 0;
    for (int i = 0; i < N; i++)
        bits ^= (long long)at[i] << (i & 15);
    result = sum + (double)bits;
}

static void scalars(void)
{
    double sum = 0;
    float low = 9;
    for (int i = 0; i < N; i++) {
        sum = sum * 0.5 + x[i];
        low = low < g[i] ? low : g[i];
    }
    result = sum + low;
}

static const struct {
    const char *name;
    void (*run)(void);
} kernels[] = {
    {"empty", empty},       {"dot", dot},           {"triad", triad},         {"conditions", conditions},
    {"gathers", gathers},   {"compress", compress}, {"estimates", estimates}, {"roundings", roundings},
    {"integers", integers}, {"scalars", scalars}};

int main(void)
{
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        void (*volatile run)(void) = kernels[i].run;
        prepare();
        mark_begin();
        run();
        mark_end(kernels[i].name);
    }
    return 0;
}
