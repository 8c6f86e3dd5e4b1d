/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks through memory from pointer to pointer, in a random order that no prefetcher foresees: what each load
 * misses is known from how much memory there is.
 */
#pragma once

#include "papi.h"

#include <stdbool.h>

enum footprint {
    WALK_TINY,     /* a fourth of the data cache of level 1, at most 64 pages */
    WALK_BEYOND_1, /* more than level 1 holds, and not more than half of level 2 */
    WALK_BEYOND_2,
    WALK_BEYOND_3,
    WALK_PAGES, /* one line in each of more pages than TLBs hold */
    WALKS
};

enum { WALK_NAME = 40 };

/* Bytes of the caches of data; 0: there is none. */
struct cache_sizes {
    long long level[3], line;
};

struct walk {
    void **memory;
    long places; /* that hold a pointer */
    long step;   /* bytes from one to the next */
    long long bytes;
    void **at; /* where the next walk begins */
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

/* n loads. */
void walk_run(struct walk *walk, long n);
void walk_free(struct walk *walk);

/* Memory that a walk may take: a part of what the machine has free. */
long long walks_available(void);
