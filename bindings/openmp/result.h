/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "openmp.h"

#include <stdbool.h>

/* What was recorded, as shares and sums, and what it says. Nothing changes any more. */

/* A place by its name. Texts stay while the result does. */
struct result_name {
    const char *routine; /* "" where it is not known */
    const char *file;    /* "" and line 0 where it is not known */
    unsigned long long line;
    const char *object; /* "" where the code is in no file */
    unsigned long long address;
    char text[512]; /* "solve.f90:120 in solver::step", "step+0x1c in libsolver.so" */
};

struct result_region {
    const struct place *place;
    struct result_name name;
    uint64_t calls, nested, alone;
    int threads;                     /* of the largest team */
    int rows;                        /* numbers of threads that have figures */
    double seconds, capacity;        /* capacity: seconds times threads */
    double useful;                   /* at work, less the waiting for locks */
    double barriers, locks;          /* waiting inside */
    double end;                      /* waiting at the end for the last thread that works */
    double overhead;                 /* the rest: to start the threads, and to go on behind them */
    double sum_capacity, sum_useful; /* its part of those of all, 0: it has none, as it is not known */
    double measuring;                /* making counters */
    double balance;                  /* mean / most work of a thread, in each execution; -1: not known */
    double balance_of_sums;          /* the same of all executions together */
    int most;                        /* number of the thread with most work in all */
    double most_ratio;               /* its work / mean */
    bool known;                      /* false: threads may have worked where they seem to wait */
    bool counted;                    /* all that its threads did, which needs to be known */
    int64_t count[MOST_COUNTS];
    double count_balance[MOST_COUNTS]; /* mean / most of the threads' counts; -1: nothing was counted */
};

struct result_wait {
    const struct place *place;
    struct result_name name, region;
    double seconds, most;
};

struct result {
    int n_regions, n_waits;
    struct result_region *region; /* those with most capacity that is not useful first */
    struct result_wait *wait;     /* most time first */
    double seconds, parallel; /* of the process; in regions that are in no other. parallel -1: not known */
    double capacity, useful;  /* of regions that are known */
    double sampling;          /* seconds of threads that the measurement took in regions, about */
    int threads;              /* of the largest team */
    int instructions, cycles; /* numbers of the events; -1: not counted */
    const struct result_region *worst; /* that the finding is about; NULL: it is about none */
    char finding[1024];
};

/* Makes it, with the names of places. False: no memory. */
struct names;
bool result_make(struct result *result, struct names *names);
void result_free(struct result *result);

/* A time in a unit that fits: "1.20 ms". */
enum { TIME_TEXT = 16 };
const char *result_time(char text[TIME_TEXT], double seconds);

const char *wait_kind(enum place_kind kind);

/* The number of an event that is counted; -1: it is not. */
int result_event(const char *name);

/* The seconds that a thread's number worked, less its waiting for locks. */
double result_useful_of(const struct slot *slot);
