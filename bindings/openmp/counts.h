/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "papi.h"
#include "places.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Counters of threads: those of PAPI_EVENTS, or the usual ones. Each thread has event sets of its own, beside
 * those that the program may have. */

enum { MOST_SETS = 4, REASON_TEXT = 512 };

struct counts_event {
    char name[PAPI_MAX_STR_LEN];
    int set;
};

/* Events that are counted, in which order their values come; and why others are not. */
struct counts_plan {
    bool made;
    bool emulated; /* papi_emulate counts: times are not those of a processor */
    int guard;     /* a file without a name, opened before the counters */
    ino_t guard_is;
    int n, n_sets;
    struct counts_event event[MOST_COUNTS];
    int component[MOST_SETS];
    int refused;
    char refused_name[PAPI_MAX_STR_LEN], reason[REASON_TEXT]; /* of the first that is not */
};

struct thread_counts {
    bool tried; /* to make them */
    bool on;
    int es[MOST_SETS];
};

/* False: the program has closed descriptors that it does not know, those of the counters among them, and what
 * was read since may be of another file. */
bool counts_are_whole(const struct counts_plan *plan);

/* Makes the plan, by trying: the process is locked. */
void counts_plan(struct counts_plan *plan);

/* Makes and starts the calling thread's counters. Without them, on stays false. */
void counts_start(struct thread_counts *counts, const struct counts_plan *plan);

/* Reads them, in the order of the plan; false: they are gone, for good. */
bool counts_read(struct thread_counts *counts, const struct counts_plan *plan, int64_t *value);
