/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream.h"

#include <stddef.h>

/* This file is compiled so that loops stay loops (CMakeLists.txt): the copy does not become a call of memcpy,
 * which may write past the caches. */

const struct stream_shape stream_shapes[STREAM_LOOPS] = {
    [STREAM_READ] = {"read", 1, 0, 1},   [STREAM_COPY] = {"copy", 1, 1, 0},
    [STREAM_SCALE] = {"scale", 1, 1, 1}, [STREAM_ADD] = {"add", 2, 1, 1},
    [STREAM_TRIAD] = {"triad", 2, 1, 2},
};

/* What was written may be read, as far as the compiler knows: each pass is made. */
#define FENCE __asm__ volatile("" : : : "memory")

#define LOOP(name, suffix, target, statement)                                                                \
    target static void name##_##suffix(double *a_, double *b_, double *c_, long n, long passes)              \
    {                                                                                                        \
        suffix *a = (suffix *)a_, *b = (suffix *)b_, *c = (suffix *)c_;                                      \
        const suffix three = 3.0 - (suffix){0};                                                              \
        const long end = n / (long)(sizeof(suffix) / sizeof(double));                                        \
        (void)a, (void)b, (void)c, (void)three;                                                              \
        for (long pass = 0; pass < passes; pass++) {                                                         \
            for (long i = 0; i < end; i += 4) {                                                              \
                statement(i) statement(i + 1) statement(i + 2) statement(i + 3)                              \
            }                                                                                                \
            FENCE;                                                                                           \
        }                                                                                                    \
    }

#define COPY(i) b[i] = a[i];
#define SCALE(i) b[i] = three * a[i];
#define ADD(i) c[i] = a[i] + b[i];
#define TRIAD(i) c[i] = a[i] + three * b[i];

/* As far as the compiler knows, somebody looks at the value. */
#if defined(__x86_64__)
#define USE(value) ({ __asm__ volatile("" : : "x"(value)); })
#elif defined(__aarch64__)
#define USE(value) ({ __asm__ volatile("" : : "w"(value)); })
#else
#define USE(value) ({ __asm__ volatile("" : : "m"(value)); })
#endif

/* Eight sums, so that the additions keep up with the first cache. */
#define READ(suffix, target)                                                                                 \
    target static void read_##suffix(double *a_, double *b_, double *c_, long n, long passes)                \
    {                                                                                                        \
        const suffix *a = (const suffix *)a_;                                                                \
        suffix s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0};               \
        const long end = n / (long)(sizeof(suffix) / sizeof(double));                                        \
        (void)b_, (void)c_;                                                                                  \
        for (long pass = 0; pass < passes; pass++) {                                                         \
            for (long i = 0; i < end; i += 8) {                                                              \
                s0 += a[i], s1 += a[i + 1], s2 += a[i + 2], s3 += a[i + 3];                                  \
                s4 += a[i + 4], s5 += a[i + 5], s6 += a[i + 6], s7 += a[i + 7];                              \
            }                                                                                                \
            FENCE;                                                                                           \
        }                                                                                                    \
        USE(s0), USE(s1), USE(s2), USE(s3), USE(s4), USE(s5), USE(s6), USE(s7);                              \
    }

#define LOOPS(suffix, target, bytes)                                                                         \
    typedef double suffix __attribute__((vector_size(bytes), may_alias));                                    \
    READ(suffix, target)                                                                                     \
    LOOP(copy, suffix, target, COPY)                                                                         \
    LOOP(scale, suffix, target, SCALE)                                                                       \
    LOOP(add, suffix, target, ADD)                                                                           \
    LOOP(triad, suffix, target, TRIAD)

#define ROW(width, suffix, check)                                                                            \
    {                                                                                                        \
        width, {read_##suffix, copy_##suffix, scale_##suffix, add_##suffix, triad_##suffix}, check           \
    }

LOOPS(vector128, , 16)

#if defined(__x86_64__)
#define WITH(features) __attribute__((target(features)))
LOOPS(vector256, WITH("avx"), 32)
LOOPS(vector512, WITH("avx512f"), 64)

static bool has_avx(void)
{
    return __builtin_cpu_supports("avx");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

const struct stream_kernels stream_kernels[] = {
    ROW(512, vector512, has_avx512),
    ROW(256, vector256, has_avx),
    ROW(128, vector128, NULL),
};
#else
const struct stream_kernels stream_kernels[] = {ROW(128, vector128, NULL)};
#endif

const struct stream_kernels *stream_widest(void)
{
    const struct stream_kernels *one = stream_kernels;
    while (one->usable != NULL && !one->usable())
        one++;
    return one;
}
