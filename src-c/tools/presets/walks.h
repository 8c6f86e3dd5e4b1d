/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks through memory from pointer to pointer, in a random order that no prefetcher foresees: what each load
 * misses is known from how much memory there is. Code is walked through by jumps, and stores go where a
 * generator of numbers says.
 */
#pragma once

#include "papi.h"

#include <stdbool.h>
#include <stdint.h>

enum footprint {
    WALK_TINY,     /* a fourth of the data cache of level 1, at most 64 pages */
    WALK_BEYOND_1, /* more than level 1 holds, and not more than half of level 2 */
    WALK_BEYOND_2,
    WALK_BEYOND_3,
    WALK_PAGES,     /* one line in each of more pages than TLBs hold */
    WALK_TINY_CODE, /* from jump to jump, in a fourth of the cache of code of level 1 */
    WALK_CODE,      /* in more code than it holds, and not more than half of level 2 */
    WALK_STORES,    /* stores alone, as far as WALK_BEYOND_1 */
    WALKS
};

enum { WALK_NAME = 40 };

/* Bytes of the caches of data, and of code of level 1; 0: there is none. */
struct cache_sizes {
    long long level[3], code, line;
};

struct walk {
    void **memory;
    long places; /* that hold a pointer, or a jump, or take a store: of these a power of two */
    bool is_code, is_stores;
    long step; /* bytes from one to the next */
    long long bytes;
    void **at;     /* where the next walk begins */
    uint32_t next; /* the next place for a store */
    char name[WALK_NAME];
    const char *why; /* it cannot be made; NULL: it can */
};

struct cache_sizes walks_caches(const PAPI_hw_info_t *hw);

/* Sets the walk's sizes: name, bytes, step, places, or why. Makes nothing. */
void walk_plan(struct walk *walk, enum footprint footprint, const struct cache_sizes *caches,
               long long available);

/* Makes its memory on the first call, and walks through it once where that is short. 0; -1: no memory (why).
 */
int walk_prepare(struct walk *walk);

/* Loads, jumps or stores of one walk of about n: code is walked through as a whole. */
long walk_steps(const struct walk *walk, long n);

/* n loads or stores, or jumps in such whole walks. */
void walk_run(struct walk *walk, long n);
void walk_free(struct walk *walk);

/* Memory that a walk may take: a part of what the machine has free. */
long long walks_available(void);
