/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tools/common/machine_head.h"

#include <sched.h>

/* Kinds of cores, which count by PMUs of their own. */
enum { MOST_CORES = 8 };

struct cores {
    int n; /* at least 1; with 1, no thread is bound */
    struct {
        char pmu[MACHINE_PMU_NAME]; /* "": the only one */
        int cpu;                    /* of that kind, which this process may use; -1: none */
    } kind[MOST_CORES];
    cpu_set_t allowed; /* when they were found */
};

void cores_find(struct cores *cores);

/* Binds this thread to a core of the kind. 0, or -1 with errno. */
int cores_bind(const struct cores *cores, int kind);

/* Lets it run wherever it might before. */
void cores_release(const struct cores *cores);
