/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream.h"
#include "team.h"

#include <stddef.h>

/* The file is compiled so that loops stay loops (CMakeLists.txt): the copy does not become a call of memcpy,
 * which may write past the caches. */

const struct stream_shape stream_shapes[STREAM_LOOPS] = {
    [STREAM_READ] = {"read", 1, 0, 1},   [STREAM_COPY] = {"copy", 1, 1, 0},
    [STREAM_SCALE] = {"scale", 1, 1, 1}, [STREAM_ADD] = {"add", 2, 1, 1},
    [STREAM_TRIAD] = {"triad", 2, 1, 2},
};

/* Makes the compiler take memory as read and changed, so that each pass is carried out. */
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

/* Makes the compiler take a value as used. */
#if defined(__x86_64__)
#define USE(value) ({ __asm__ volatile("" : : "x"(value)); })
#elif defined(__aarch64__)
#define USE(value) ({ __asm__ volatile("" : : "w"(value)); })
#else
#define USE(value) ({ __asm__ volatile("" : : "m"(value)); })
#endif

/* The reading loop has eight sums, so that the additions keep up with the first cache. */
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

/* ---- sizes of arrays */

/* Bytes of a cache for each of the threads that share it. */
static long long share(const struct cpus_cache *cache, int threads)
{
    int sharing = cache->sharing < threads ? cache->sharing : threads;
    return cache->size / (sharing > 1 ? sharing : 1);
}

/* Bytes of memory for the loops: three arrays, each four times as large as the last caches together, as
 * STREAM asks for; but at most an eighth of the machine's memory. */
static long long memory_size(const struct cpus *cpus, int threads)
{
    enum { ARRAYS = 3, TIMES = 4, PART = 8 };
    const long long unknown = 64LL << 20;
    const struct cpus_cache *last = cpus->n_caches > 0 ? &cpus->cache[cpus->n_caches - 1] : NULL;
    long long caches = last == NULL ? unknown : last->size * (threads > 1 ? last->count : 1);
    long long all = ARRAYS * TIMES * caches;
    if (cpus->memory > 0 && all > cpus->memory / PART)
        all = cpus->memory / PART;
    return all / threads;
}

/* Loops that go round in more than the level below find nothing of it there. Of the first cache most can be
 * used; further ones hold other things, too. A cache that has what the one below gave up holds as much more.
 */
static long long cache_size(const struct cpus *cpus, int level, int threads)
{
    long long own = share(&cpus->cache[level], threads);
    if (level == 0)
        return own / 4 * 3;
    long long below = share(&cpus->cache[level - 1], threads);
    long long bytes = own / 2 > 2 * below ? own / 2 : 2 * below;
    return bytes <= (own + below) / 10 * 9 ? bytes : 0;
}

long long sizes_level(const struct cpus *cpus, int level, int threads)
{
    return level < cpus->n_caches ? cache_size(cpus, level, threads) : memory_size(cpus, threads);
}

int sizes_arrays(int loop)
{
    return loop >= STREAM_ADD ? 3 : loop >= STREAM_COPY ? 2 : 1;
}

long sizes_elements(int loop, long long bytes)
{
    long long elements = bytes / sizes_arrays(loop) / (long long)sizeof(double);
    elements -= elements % STREAM_MULTIPLE;
    return elements > STREAM_MULTIPLE ? (long)elements : STREAM_MULTIPLE;
}
