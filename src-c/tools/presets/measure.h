/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "claims.h"
#include "judge.h"
#include "papi.h"

/* All work that presets are counted for, with its memory. */
struct bench {
    void *ones;
    struct cache_sizes caches;
    struct walk walk[WALKS];
};

/* 0; -1: no memory. */
int bench_make(struct bench *bench);
void bench_free(struct bench *bench);

/* Counts a preset for each piece of work that it claims something of: n iterations, and twice as many; their
 * difference has nothing of what is around them.
 *   why  the reason where a walk could not be made; "" else
 * Returns PAPI_OK, or the code of the first call that failed. */
int bench_count(struct bench *bench, const PAPI_event_info_t *info, long n, struct samples *samples,
                const char **why);

/* The other preset whose claims the samples fulfil. NULL: there is none. */
const char *bench_like(const struct samples *samples, const char *preset);
