/* SPDX-License-Identifier: BSD-3-Clause */
#include "walks.h"

#include "base/sysroot.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64) ||               \
    (defined(__powerpc64__) && _CALL_ELF == 2)
#define CAN_JUMP true
#else
#define CAN_JUMP false
#endif

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
            if (level == 0 && PAPI_MH_CACHE_TYPE(cache->type) != PAPI_MH_TYPE_DATA && cache->size > 0)
                sizes.code = cache->size;
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
    case WALK_TINY_CODE:
        return caches->code / 4;
    case WALK_CODE:
        return caches->level[1] >= 4 * caches->code ? least(4 * caches->code, caches->level[1] / 2)
                                                    : 4 * caches->code;
    case WALK_STORES:
        return footprint_bytes(WALK_BEYOND_1, caches);
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
        snprintf(walk->name, sizeof walk->name, "%s_%lld_KiB",
                 walk->is_code     ? "code"
                 : walk->is_stores ? "stores"
                                   : "walk",
                 walk->bytes / 1024);
}

static long power_of_two(long most)
{
    long power = 1;
    while (power <= most / 2)
        power *= 2;
    return power;
}

void walk_plan(struct walk *walk, enum footprint footprint, const struct cache_sizes *caches,
               long long available)
{
    *walk = (struct walk){.bytes = footprint_bytes(footprint, caches),
                          .is_code = footprint == WALK_TINY_CODE || footprint == WALK_CODE,
                          .is_stores = footprint == WALK_STORES};
    /* A line more in each page: else all lines would lie in the same set of a cache. */
    walk->step = (long)(footprint == WALK_PAGES ? getpagesize() + caches->line : caches->line);
    walk->places = (long)(walk->bytes / walk->step);
    if (walk->is_stores)
        walk->places = power_of_two(walk->places);
    name_walk(walk, footprint);
    if (walk->bytes == 0 || walk->places < 8)
        walk->why = "the size of the cache is not known here";
    else if (walk->is_code && !CAN_JUMP)
        walk->why = "no code is written for this architecture";
    else if (walk->bytes > available)
        walk->why = "it would take more memory than this machine has free";
}

long long walks_available(void)
{
    long long free_kib = 0;
    FILE *file = sysroot_open("", "/proc/meminfo");
    char line[128];
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %lld", &free_kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return least(free_kib * 1024 / 4, 1LL << 30);
}

/* ---- code */

/* The instructions of a walk through code: a jump over so many bytes, less than a MiB, and the return at its
 * end. */
static void put_word(char *at, uint32_t word)
{
    memcpy(at, &word, sizeof word);
}

static void put_jump(char *at, long distance)
{
#if defined(__x86_64__)
    int32_t from_end = (int32_t)(distance - 5);
    *at = (char)0xe9;
    memcpy(at + 1, &from_end, sizeof from_end);
#elif defined(__aarch64__)
    put_word(at, 0x14000000U | ((uint32_t)(distance >> 2) & 0x3ffffffU));
#elif defined(__riscv)
    uint32_t d = (uint32_t)distance;
    put_word(at, 0x6fU | (d & 0x100000U) << 11 | (d & 0x7feU) << 20 | (d & 0x800U) << 9 | (d & 0xff000U));
#else
    put_word(at, 0x48000000U | ((uint32_t)distance & 0x3fffffcU));
#endif
}

static void put_return(char *at)
{
#if defined(__x86_64__)
    put_word(at, 0xccccccc3U);
#elif defined(__aarch64__)
    put_word(at, 0xd65f03c0U);
#elif defined(__riscv)
    put_word(at, 0x00008067U);
#else
    put_word(at, 0x4e800020U);
#endif
}

/* ---- the walk */

static char *place(const struct walk *walk, long i)
{
    return (char *)walk->memory + i * walk->step;
}

/* Puts the numbers of the places into a random order, of one cycle (Sattolo's shuffle). */
static void shuffle(uint32_t *order, long n)
{
    uint64_t random = 88172645463325252U;
    for (long i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (long i = n - 1; i > 0; i--) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        long other = (long)(random % (uint64_t)i);
        uint32_t kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

static void link_places(struct walk *walk, const uint32_t *order)
{
    for (long i = 0; i < walk->places; i++)
        *(void **)(void *)place(walk, order[i]) = place(walk, order[(i + 1) % walk->places]);
    walk->at = walk->memory;
}

/* 0; -1: the kernel does not let data become code. */
static int link_code(struct walk *walk, const uint32_t *order)
{
    size_t size = (size_t)(walk->places * walk->step);
    for (long i = 0; i + 1 < walk->places; i++)
        put_jump(place(walk, order[i]), place(walk, order[i + 1]) - place(walk, order[i]));
    put_return(place(walk, order[walk->places - 1]));
    walk->at = (void **)(void *)place(walk, order[0]);
    if (mprotect(walk->memory, size, PROT_READ | PROT_EXEC) != 0) {
        walk->why = "this process may make no code";
        return -1;
    }
    __builtin___clear_cache((char *)walk->memory, (char *)walk->memory + size);
    return 0;
}

static int link_all(struct walk *walk, uint32_t *order)
{
    shuffle(order, walk->places);
    if (walk->is_code)
        return link_code(walk, order);
    link_places(walk, order);
    return 0;
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
    int code = link_all(walk, order);
    free(order);
    if (code == 0)
        walk_run(walk, walk_steps(walk, walk->places));
    return code;
}

int walk_prepare(struct walk *walk)
{
    if (walk->why != NULL)
        return -1;
    if (walk->memory == NULL)
        return make_walk(walk);
    if (walk->places <= SHORT_WALK)
        walk_run(walk, walk_steps(walk, walk->places));
    return 0;
}

long walk_steps(const struct walk *walk, long n)
{
    long turn = walk->places - 1;
    return walk->is_code ? (n + turn - 1) / turn * turn : n;
}

static void run_code(const struct walk *walk, long n)
{
    void (*begin)(void);
    memcpy(&begin, &walk->at, sizeof begin);
    for (long i = 0; i < n; i += walk->places - 1)
        begin();
}

static void follow(struct walk *walk, long n)
{
    void **at = walk->at;
    for (long i = 0; i < n; i++) {
        at = *at;
        __asm__ volatile("" : "+r"(at));
    }
    walk->at = at;
}

/* Each place once in a turn, in an order without a pattern of steps: a generator of all numbers below a power
 * of two. Nothing is loaded. */
static void store(struct walk *walk, long n)
{
    uint32_t mask = (uint32_t)walk->places - 1, next = walk->next & mask;
    for (long i = 0; i < n; i++) {
        *(volatile long *)(void *)place(walk, (long)next) = i;
        next = (next * 1664525U + 1013904223U) & mask;
    }
    walk->next = next;
}

void walk_run(struct walk *walk, long n)
{
    if (walk->is_code)
        run_code(walk, n);
    else if (walk->is_stores)
        store(walk, n);
    else
        follow(walk, n);
}

void walk_free(struct walk *walk)
{
    if (walk->memory != NULL)
        munmap(walk->memory, (size_t)(walk->places * walk->step));
    walk->memory = NULL;
}
