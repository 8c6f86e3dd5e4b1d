/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops whose time bench/gate_model compares with papi_gate's estimate; models were changed by them. Data
 * are in the first cache, but for those whose names begin with far_; those whose names begin with undecided_
 * have branches that nobody can predict.
 */
#define _GNU_SOURCE
#include "gate_model_run.h"

#include <stdint.h>

enum { N = 1000, M = 24, FAR = 1 << 22, BUCKETS = 256 };

static double a[N + 8], b[N + 8], c[N + 8], x[M][M], y[M][M], z[M][M];
static float f[N + 8], g[N + 8];
static int32_t k[N + 8], l[N + 8], sorted[N + 8], order[N + 8];
static int64_t m[N + 8];
static uint32_t bucket[BUCKETS];
static unsigned char text[N + 8];
static double *far;
static volatile int three = 3;

struct node {
    struct node *next;
    double value;
};
static struct node nodes[N];

#define LOOP(name) static __attribute__((noipa)) double name(void)
#define EACH for (int i = 0; i < N; i++)

LOOP(dot)
{
    double s = 0;
    EACH s += a[i] * b[i];
    return s;
}

LOOP(sum)
{
    double s = 0;
    EACH s += a[i];
    return s;
}

LOOP(sum_of_four)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int i = 0; i < N; i += 4) {
        s0 += a[i];
        s1 += a[i + 1];
        s2 += a[i + 2];
        s3 += a[i + 3];
    }
    return s0 + s1 + s2 + s3;
}

LOOP(axpy)
{
    EACH c[i] = 1.5 * a[i] + b[i];
    return c[1];
}

LOOP(axpy_single)
{
    EACH g[i] = 1.5F * f[i] + g[i];
    return g[1];
}

LOOP(stencil)
{
    for (int i = 1; i < N - 1; i++)
        c[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
    return c[1];
}

LOOP(divide)
{
    EACH c[i] = a[i] / b[i];
    return c[1];
}

LOOP(divide_single)
{
    EACH g[i] = f[i] / 1.7F;
    return g[1];
}

LOOP(divide_chain)
{
    double s = 1;
    EACH s = b[i] / s;
    return s;
}

LOOP(root)
{
    EACH c[i] = sqrt(a[i]);
    return c[1];
}

LOOP(norm)
{
    EACH c[i] = a[i] / sqrt(a[i] * a[i] + b[i] * b[i]);
    return c[1];
}

LOOP(polynomial)
{
    EACH
    {
        double t = a[i], p = 0.1;
        p = p * t + 0.2;
        p = p * t + 0.3;
        p = p * t + 0.4;
        p = p * t + 0.5;
        p = p * t + 0.6;
        c[i] = p;
    }
    return c[1];
}

LOOP(horner_chain)
{
    double s = 0;
    EACH s = s * 0.999 + a[i];
    return s;
}

LOOP(prefix)
{
    for (int i = 1; i < N; i++)
        c[i] = c[i - 1] + a[i];
    return c[1];
}

LOOP(tridiagonal)
{
    for (int i = 1; i < N; i++)
        c[i] = (a[i] - c[i - 1]) * 0.4;
    return c[1];
}

LOOP(gather)
{
    double s = 0;
    EACH s += a[order[i]];
    return s;
}

LOOP(scatter)
{
    EACH c[order[i]] = a[i];
    return c[1];
}

LOOP(matrix_ijk)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            double s = 0;
            for (int n = 0; n < M; n++)
                s += x[i][n] * y[n][j];
            z[i][j] = s;
        }
    return z[1][1];
}

LOOP(matrix_ikj)
{
    memset(z, 0, sizeof z);
    for (int i = 0; i < M; i++)
        for (int n = 0; n < M; n++)
            for (int j = 0; j < M; j++)
                z[i][j] += x[i][n] * y[n][j];
    return z[1][1];
}

LOOP(matrix_jki)
{
    memset(z, 0, sizeof z);
    for (int j = 0; j < M; j++)
        for (int n = 0; n < M; n++)
            for (int i = 0; i < M; i++)
                z[i][j] += x[i][n] * y[n][j];
    return z[1][1];
}

LOOP(convert)
{
    EACH c[i] = k[i];
    return c[1];
}

LOOP(truncate)
{
    EACH l[i] = (int32_t)a[i];
    return l[1];
}

LOOP(integer_sum)
{
    int64_t s = 0;
    EACH s += k[i];
    return (double)s;
}

LOOP(integer_divide)
{
    int d = three;
    EACH l[i] = k[i] / d;
    return l[1];
}

LOOP(integer_divide_64)
{
    int64_t d = three;
    EACH m[i] = (m[i] | 1) / d;
    return (double)m[1];
}

LOOP(remainder_chain)
{
    uint32_t s = 12345, d = (uint32_t)three + 1000000;
    EACH s = s % d + 77777777;
    return s;
}

LOOP(integer_multiply)
{
    EACH l[i] = k[i] * k[i];
    return l[1];
}

LOOP(hash)
{
    uint32_t h = 2166136261U;
    EACH h = (h ^ text[i]) * 16777619U;
    return h;
}

LOOP(xorshift)
{
    uint64_t s = 88172645463325252U;
    EACH
    {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
    }
    return (double)s;
}

LOOP(histogram)
{
    EACH bucket[text[i]]++;
    return bucket[1];
}

LOOP(string_length)
{
    const unsigned char *at = text;
    while (*at != 0)
        at++;
    return (double)(at - text);
}

LOOP(upper)
{
    EACH text[i] = text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i];
    return text[1];
}

LOOP(largest)
{
    double s = 0;
    EACH s = a[i] > s ? a[i] : s;
    return s;
}

LOOP(clip)
{
    EACH c[i] = a[i] > 0.5 ? 0.5 : a[i];
    return c[1];
}

LOOP(count_sorted)
{
    int n = 0;
    EACH if (sorted[i] < 500) n += sorted[i] * 3 ^ n;
    return n;
}

LOOP(list)
{
    double s = 0;
    for (const struct node *at = nodes; at != NULL; at = at->next)
        s += at->value;
    return s;
}

LOOP(complex_product)
{
    for (int i = 0; i < N; i += 2) {
        c[i] = a[i] * b[i] - a[i + 1] * b[i + 1];
        c[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
    }
    return c[1];
}

LOOP(copy)
{
    for (int i = 0; i < N; i++)
        *(volatile double *)&c[i] = a[i];
    return c[1];
}

LOOP(bubble_sorted)
{
    int swaps = 0;
    for (int i = 0; i + 1 < N; i++)
        if (sorted[i] > sorted[i + 1]) {
            int t = sorted[i];
            sorted[i] = sorted[i + 1];
            sorted[i + 1] = t;
            swaps++;
        }
    return swaps;
}

LOOP(undecided_branch)
{
    int n = 0;
    static uint64_t s = 88172645463325252U;
    EACH
    {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        if (s & 0x100000)
            sink = a[i];
        else
            n++;
    }
    return n;
}

LOOP(undecided_insertion)
{
    static uint64_t s = 88172645463325252U;
    for (int i = 0; i < 64; i++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        int j = i, v = (int)(s & 0xffff);
        for (; j > 0 && l[j - 1] > v; j--)
            l[j] = l[j - 1];
        l[j] = v;
    }
    return l[1];
}

LOOP(far_stride)
{
    double s = 0;
    static size_t at;
    for (int i = 0; i < N; i++) {
        s += far[at];
        at = (at + 4099 * 8) % FAR;
    }
    return s;
}

static const struct loop loops[] = {
#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
    ROW(dot),
    ROW(sum),
    ROW(sum_of_four),
    ROW(axpy),
    ROW(axpy_single),
    ROW(stencil),
    ROW(divide),
    ROW(divide_single),
    ROW(divide_chain),
    ROW(root),
    ROW(norm),
    ROW(polynomial),
    ROW(horner_chain),
    ROW(prefix),
    ROW(tridiagonal),
    ROW(gather),
    ROW(scatter),
    ROW(matrix_ijk),
    ROW(matrix_ikj),
    ROW(matrix_jki),
    ROW(convert),
    ROW(truncate),
    ROW(integer_sum),
    ROW(integer_divide),
    ROW(integer_divide_64),
    ROW(remainder_chain),
    ROW(integer_multiply),
    ROW(hash),
    ROW(xorshift),
    ROW(histogram),
    ROW(string_length),
    ROW(upper),
    ROW(largest),
    ROW(clip),
    ROW(count_sorted),
    ROW(list),
    ROW(complex_product),
    ROW(copy),
    ROW(bubble_sorted),
    ROW(undecided_branch),
    ROW(undecided_insertion),
    ROW(far_stride),
#undef ROW
};

static void fill(void)
{
    uint64_t s = 88172645463325252U;
    far = calloc(FAR, sizeof *far);
    for (int i = 0; i < N + 8; i++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        a[i] = 0.5 + (double)(s % 1000) / 2000;
        b[i] = 1 + (double)(i % 10) / 20;
        f[i] = (float)a[i];
        g[i] = 0;
        k[i] = (int32_t)(s % 100000);
        m[i] = (int64_t)(s >> 20);
        sorted[i] = i;
        order[i] = (int32_t)((i * 379) % N);
        text[i] = i < N ? (unsigned char)('A' + s % 50) : 0;
        if (i < N)
            nodes[i] = (struct node){i + 1 < N ? &nodes[i + 1] : NULL, a[i]};
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            x[i][j] = i + j;
            y[i][j] = i - j;
        }
}

int main(int argc, char **argv)
{
    fill();
    return loops_main(loops, sizeof loops / sizeof *loops, argc, argv);
}
