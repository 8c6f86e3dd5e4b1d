/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "peak.h"
#include "stream.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- cores and caches */

/* The cores that this process may use, and the caches between them and memory, by hwloc. */

enum { CPUS_LEVELS = 5 };

struct cpus_cache {
    int level;
    long long size; /* of one */
    int line;
    int sharing; /* the most cores of these that have one together */
    int count;   /* their number for these cores */
};

struct cpus {
    int n;    /* cores */
    int *cpu; /* of each core the first CPU that may be used */
    struct cpus_cache cache[CPUS_LEVELS];
    int n_caches;        /* of data, from the first level */
    long long memory;    /* bytes of the machine */
    struct topology *of; /* the team's own */
};

/* NULL, or what failed, a sentence. */
const char *cpus_find(struct cpus *cpus);
void cpus_free(struct cpus *cpus);

/* Binds the calling thread to a core. */
bool cpus_bind(const struct cpus *cpus, int core);

/* ---- threads */

/* Threads that are bound to one core each, and do the same work at the same time on memory of their own. */
struct team;

/* Work of each thread: rounds of a kernel (peak, or else the clock), or passes of a loop. */
struct team_work {
    const struct peak_kernel *peak;
    stream_function *stream; /* NULL: registers alone */
    int arrays;              /* of the loop */
    long elements;           /* of each */
    long amount;             /* of rounds or passes */
};

/* Memory for arrays of so many bytes together. */
size_t team_room(size_t bytes);

/* Creates a team of threads on the first n cores, each with so much memory, which its thread touches first.
 * NULL, with errno. */
struct team *team_make(const struct cpus *cpus, int n, size_t room);
void team_end(struct team *team);

/* Seconds from the first that begins to the last that ends. *alone: each of them had its core all the time.
 */
double team_run(struct team *team, const struct team_work *work, bool *alone);

/* True if each thread could be bound to its core. */
bool team_is_bound(const struct team *team);
