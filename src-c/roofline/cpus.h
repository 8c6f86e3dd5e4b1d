/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* The cores that this process may use, and the caches between them and memory, by hwloc. */

enum { CPUS_LEVELS = 5 };

struct cpus_cache {
    int level;
    long long size; /* of one */
    int line;
    int sharing; /* the most cores of these that have one together */
    int count;   /* how many there are for these cores */
};

struct cpus {
    int n;    /* cores */
    int *cpu; /* of each core the first CPU that may be used */
    struct cpus_cache cache[CPUS_LEVELS];
    int n_caches;        /* of data, from the first level */
    long long memory;    /* bytes of the machine */
    struct topology *of; /* cpus.c's own */
};

/* NULL, or what failed, a sentence. */
const char *cpus_find(struct cpus *cpus);
void cpus_free(struct cpus *cpus);

/* Binds the calling thread to a core. */
bool cpus_bind(const struct cpus *cpus, int core);
