/* SPDX-License-Identifier: BSD-3-Clause */
#include "walks.h"

#include "base/sysroot.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE_COUNT = 16384, TINY_PAGES = 64, SHORT_WALK = 65536 };

/* ---- the plan */

static bool holds_data(const PAPI_mh_cache_info_t *cache)
{
    int type = PAPI_MH_CACHE_TYPE(cache->type);
    return type == PAPI_MH_TYPE_DATA || type == PAPI_MH_TYPE_UNIFIED;
}

struct cache_sizes walks_caches(const PAPI_hw_info_t *hw)
{
    struct cache_sizes sizes = {.line = 64};
    for (int level = 0; hw != NULL && level < hw->mem_hierarchy.levels && level < 3; level++)
        for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
            const PAPI_mh_cache_info_t *cache = &hw->mem_hierarchy.level[level].cache[i];
            if (!holds_data(cache) || cache->size <= 0)
                continue;
            sizes.level[level] = cache->size;
            if (cache->line_size > sizes.line)
                sizes.line = cache->line_size;
        }
    return sizes;
}

static long long least(long long a, long long b)
{
    return a < b ? a : b;
}

/* Four times a level, but not more than half of the next, where that is still twice the level. */
static long long beyond(const struct cache_sizes *caches, int level)
{
    long long bytes = 4 * caches->level[level], next = level < 2 ? caches->level[level + 1] : 0;
    return next >= 4 * caches->level[level] ? least(bytes, next / 2) : bytes;
}

static long long footprint_bytes(enum footprint footprint, const struct cache_sizes *caches)
{
    switch (footprint) {
    case WALK_TINY:
        return least(caches->level[0] / 4, TINY_PAGES * 4096LL);
    case WALK_PAGES:
        return PAGE_COUNT * (long long)getpagesize();
    default:
        return caches->level[footprint - WALK_BEYOND_1] > 0 ? beyond(caches, (int)(footprint - WALK_BEYOND_1))
                                                            : 0;
    }
}

static void name_walk(struct walk *walk, enum footprint footprint)
{
    if (footprint == WALK_PAGES)
        snprintf(walk->name, sizeof walk->name, "walk_%d_pages", PAGE_COUNT);
    else
        snprintf(walk->name, sizeof walk->name, "walk_%lld_KiB", walk->bytes / 1024);
}

void walk_plan(struct walk *walk, enum footprint footprint, const struct cache_sizes *caches,
               long long available)
{
    *walk = (struct walk){.bytes = footprint_bytes(footprint, caches)};
    /* A line more in each page: else all lines would lie in the same set of a cache. */
    walk->step = (long)(footprint == WALK_PAGES ? getpagesize() + caches->line : caches->line);
    walk->places = (long)(walk->bytes / walk->step);
    name_walk(walk, footprint);
    if (walk->bytes == 0 || walk->places < 8)
        walk->why = "the size of the cache is not known here";
    else if (walk->bytes > available)
        walk->why = "it would take more memory than this machine has free";
}

long long walks_available(void)
{
    long long free_kib = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %lld", &free_kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return least(free_kib * 1024 / 4, 1LL << 30);
}

/* ---- the walk */

static void **place(const struct walk *walk, long i)
{
    return (void **)(void *)((char *)walk->memory + i * walk->step);
}

/* Links all places into one cycle in a random order (Sattolo's shuffle). */
static void link_places(struct walk *walk, uint32_t *order)
{
    uint64_t random = 88172645463325252U;
    for (long i = 0; i < walk->places; i++)
        order[i] = (uint32_t)i;
    for (long i = walk->places - 1; i > 0; i--) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        long other = (long)(random % (uint64_t)i);
        uint32_t kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (long i = 0; i < walk->places; i++)
        *place(walk, order[i]) = place(walk, order[(i + 1) % walk->places]);
    walk->at = walk->memory;
}

static int make_walk(struct walk *walk)
{
    size_t size = (size_t)(walk->places * walk->step);
    uint32_t *order = malloc((size_t)walk->places * sizeof *order);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (order == NULL || memory == MAP_FAILED) {
        free(order);
        if (memory != MAP_FAILED)
            munmap(memory, size);
        walk->why = "there is no memory for it";
        return -1;
    }
    if (walk->step >= getpagesize())
        madvise(memory, size, MADV_NOHUGEPAGE); /* else one translation would do for many pages */
    walk->memory = memory;
    link_places(walk, order);
    free(order);
    walk_run(walk, walk->places);
    return 0;
}

int walk_prepare(struct walk *walk)
{
    if (walk->why != NULL)
        return -1;
    if (walk->memory == NULL)
        return make_walk(walk);
    if (walk->places <= SHORT_WALK)
        walk_run(walk, walk->places);
    return 0;
}

void walk_run(struct walk *walk, long n)
{
    void **at = walk->at;
    for (long i = 0; i < n; i++) {
        at = *at;
        __asm__ volatile("" : "+r"(at));
    }
    walk->at = at;
}

void walk_free(struct walk *walk)
{
    if (walk->memory != NULL)
        munmap(walk->memory, (size_t)(walk->places * walk->step));
    walk->memory = NULL;
}
