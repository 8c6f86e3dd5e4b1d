/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "metrics/metrics.h"
#include "papi.h"

/* The call that started the counters of a thread: the reference lets no other one read them. */
enum highlevel_use {
    HIGHLEVEL_IDLE = 0,
    HIGHLEVEL_CLASSIC,
    HIGHLEVEL_FLIPS, /* from here on: rates */
    HIGHLEVEL_FLOPS,
    HIGHLEVEL_IPC,
    HIGHLEVEL_FLIPS_RATE,
    HIGHLEVEL_FLOPS_RATE,
    HIGHLEVEL_EPC,
};

enum { MOST_RATE_EVENTS = 3 };

/* The counts and times at one moment. */
struct highlevel_sample {
    long long count[MOST_RATE_EVENTS];
    long long real_nsec;
    long long virt_nsec;
};

/* An event set, and the call that it is for. */
struct highlevel_part {
    enum highlevel_use use;
    int es;
    int events;
    int event;                           /* the one that the rate is of */
    struct highlevel_sample first, last; /* of rates */
};

/* PAPI_flips, PAPI_flops and PAPI_ipc count beside one another: old programs call several of them, and do not
 * look at their errors. All else counts alone. */
enum { MOST_PARTS = 3 };

/* The state of a thread that counts through the classic interface. It lives in the thread's
 * PAPI_TLS_HIGH_LEVEL slot and the library releases it with free(), so it may own nothing: the event sets in
 * it are the library's. */
struct highlevel {
    int n;    /* 0: nothing counts */
    int busy; /* in a call that changes it, which a signal's handler may have interrupted */
    struct highlevel_part part[MOST_PARTS];
};

/* The calling thread's state; initialises the library and makes the state where needed. */
int highlevel_get(struct highlevel **out);

/* The calling thread's state if it counts, otherwise NULL. Initialises nothing: where the library
 * is not initialised, nothing counts. */
struct highlevel *highlevel_counting(void);

/* Begin and end a call that changes the state. highlevel_enter returns PAPI_ECNFLCT in a handler that has
 * interrupted another such call. */
int highlevel_enter(struct highlevel *hl);
void highlevel_leave(struct highlevel *hl);
int highlevel_interrupted(void) __attribute__((cold));

/* Makes an event set of the codes, one part more, and starts it. The first `needed` events must count, those
 * after them may be refused. On an error nothing is left behind. In a call that was begun, as the stop is. */
int highlevel_start(struct highlevel *hl, enum highlevel_use use, const int *codes, int n, int needed);

/* The table of metrics, read once. NULL: PAPI_ENOMEM, or PAPI_ESYS where the user's file cannot be read now.
 */
const struct metrics *highlevel_metrics(struct reason *why);

/* Stops an event set, if it runs, and destroys it. */
void highlevel_drop(int *es);

/* Stops all parts, copies the counts of the first (values: as many as its events, or NULL) and destroys the
 * event sets. Where a call was begun and not ended, PAPI_ECNFLCT: a handler is refused; the program has left
 * the call by siglongjmp, and the counters are given up. */
int highlevel_stop(struct highlevel *hl, long long *values);
