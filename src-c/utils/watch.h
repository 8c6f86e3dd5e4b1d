/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_UTILS_WATCH_H
#define PAPI_UTILS_WATCH_H

#include "command.h"
#include "count_sets.h"

#include <stdio.h>

/* A line each interval, of events that are counted: what counters grew by in it, and what levels are. */
struct watch {
    double interval; /* seconds */
    long long lines; /* the last one ends it; 0: a signal or the command does */
    bool json;       /* each line is an object */
    FILE *out;
    struct count_sets *sets; /* they count */
    int n;
    const char *name[MAX_COUNT_EVENTS];
    struct count_place place[MAX_COUNT_EVENTS];
};

/* Until the lines are printed or command_wait says that it is over; the signals are held. A code of PAPI's:
 * the counts cannot be read. */
int watch_run(const struct watch *watch, const struct command *command);

#endif
