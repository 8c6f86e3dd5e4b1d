/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "papi.h"

#include <stdbool.h>
#include <sys/types.h>

/* Events of any components, which are counted together: an event set for each component. */
enum { MAX_COUNT_EVENTS = 64, MAX_COUNT_SETS = 24 };

struct count_event {
    const char *name;
    bool added;
    char why[PAPI_HUGE_STR_LEN]; /* it is not: a sentence */
    bool level;                  /* it shows how much there is of something now, and has no rate */
    bool real;                   /* its values are the bits of real numbers */
    int code;
    int set, index; /* place of its value */
};

struct count_sets {
    const char *cgroup;  /* the control group whose tasks are counted, in the place of targets; NULL */
    int n_targets;       /* 0: this process is counted */
    const pid_t *target; /* the processes that are, with what they start: a command that has not begun */
    bool running;        /* no: such that have, with all their threads */
    int flags;           /* of PAPI_attach_process, for these */
    int n_events, n_added;
    struct count_event event[MAX_COUNT_EVENTS];
    bool share;          /* the event sets share their counters with others */
    double wait;         /* seconds for which a start waits for them, at most, in one event set */
    bool may_take_turns; /* the events of a component, where they do not fit: then their counts are estimates
                          */
    char doubt[PAPI_HUGE_STR_LEN]; /* why the last values may be too little; "": they are not */
    int n;
    struct {
        int component, n;
        int n_es, *es; /* one for each target, of the same events */
        bool of_threads, multiplexed;
        int code; /* of the last read or stop, and its values: those of each target, and their sum */
        long long (*each)[MAX_COUNT_EVENTS], value[MAX_COUNT_EVENTS];
        double share[MAX_COUNT_EVENTS]; /* of the last stop */
    } set[MAX_COUNT_SETS];
};

/* Adds an event. Its entry is there whether or not it can be counted; there must be room for it. */
const struct count_event *count_sets_add(struct count_sets *sets, const char *name);

/* Start, read and stop all sets. Start starts all or none. Return a code of PAPI's. Counts that may be too
 * small are not an error but a doubt. */
int count_sets_start(struct count_sets *sets);
int count_sets_read(struct count_sets *sets);
int count_sets_stop(struct count_sets *sets);
/* Stops them, with the counts of all the times for which they were started so far. */
int count_sets_stop_adding(struct count_sets *sets);

/* Tries for a moment whether counters for the events could be had now, by the calling process. The code of
 * the first that could not, with the reason; PAPI_OK where they could, or that is not known. */
int count_sets_try(const struct count_sets *sets);

/* True if the control group was removed: it counts nothing more. */
bool count_sets_are_gone(const struct count_sets *sets);

/* True if the value of an event is an estimate. */
bool count_sets_estimated(const struct count_sets *sets, const struct count_event *event);

long long count_sets_value(const struct count_sets *sets, const struct count_event *event);

/* The part of the time of the last stop for which an event was counted; of several targets, the least. */
double count_sets_share(const struct count_sets *sets, const struct count_event *event);

/* True if an event is counted for each target by itself, and its value there. */
bool count_sets_of_each(const struct count_sets *sets, const struct count_event *event);
long long count_sets_value_of(const struct count_sets *sets, const struct count_event *event, int target);
/* Counts of the threads of a target, of the events that are counted for each target (flags:
 * PAPI_PROCESS_THREADS). */
struct count_threads {
    int n, n_values;
    long long *tid, *ended, *value; /* n_values of each */
};

/* Reads them, to be freed. A code of PAPI's: PAPI_ECLOST, with what is there. */
int count_sets_threads(const struct count_sets *sets, int target, struct count_threads *threads);
void count_threads_free(struct count_threads *threads);

void count_sets_end(struct count_sets *sets);

/* The number that a value is, where the event's are real. */
double count_real(long long value);

/* Returns the growth from one value of a counter to a later one. */
long long count_growth(const struct count_event *event, long long from, long long to);
