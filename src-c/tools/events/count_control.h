/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tools/common/counted_command.h"
#include "tools/events/count_sets.h"

/* Counting that the command itself turns on and off, by lines that it writes to a pipe, as "perf stat
 * --control" has it: "enable", "disable", and "ping", which does nothing. Each is answered by "ack" when it
 * is done, on another pipe if there is one. */
struct count_control {
    const char *where; /* "fifo:CTL[,ACK]" or "fd:CTL[,ACK]"; NULL: none */
    bool off;          /* nothing is counted before the first "enable" */

    /* count_control.c's own */
    int ctl, ack;             /* descriptors; -1: none */
    bool ours;                /* and to be closed */
    bool counts;              /* now */
    int code;                 /* of PAPI's: the first error, after which nothing is counted */
    long long since, elapsed; /* nanoseconds: the time in which it counts */
    size_t length;            /* of line */
    char line[64];
};

/* Opens the pipes. A tool's status, after a message. */
int count_control_open(struct count_control *control, struct tool *tool);

/* Lets the command run until it ends, and counts when it wants that. The sets have their counts of all these
 * times then, and are stopped. A tool's status, after a message. */
int count_control_run(struct count_control *control, struct tool *tool, struct count_sets *sets,
                      struct command *command);

void count_control_close(struct count_control *control);
