/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_UTILS_WATCH_H
#define PAPI_UTILS_WATCH_H

#include "count_sets.h"

#include <stdio.h>

/* A line each interval, of events that are counted: what counters grew by in it, and what levels are. */
struct watch {
    double interval; /* seconds */
    long long lines; /* the last one ends it; 0: a signal or the process does */
    bool json;       /* each line is an object */
    FILE *out;
    struct count_sets *sets; /* they count */
    int n;
    const char *name[MAX_COUNT_EVENTS];
    struct count_place place[MAX_COUNT_EVENTS];
};

/* SIGINT, SIGTERM and, where a process is watched, SIGCHLD are kept back from here on, for watch_run. */
void watch_prepare(void);

/* Until the lines are printed, the process (0: none) ends, or, without one, SIGINT or SIGTERM comes. A code
 * of PAPI's: the counts cannot be read. */
int watch_run(const struct watch *watch, pid_t process);

#endif
