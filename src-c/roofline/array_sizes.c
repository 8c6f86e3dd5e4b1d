/* SPDX-License-Identifier: BSD-3-Clause */
#include "array_sizes.h"
#include "stream.h"

#include <stddef.h>

/* What a thread has of a cache. */
static long long share(const struct cpus_cache *cache, int threads)
{
    int sharing = cache->sharing < threads ? cache->sharing : threads;
    return cache->size / (sharing > 1 ? sharing : 1);
}

/* Each of three arrays is four times as large as the last caches together, as STREAM asks for; but all
 * threads take an eighth of the machine's memory at most. */
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
