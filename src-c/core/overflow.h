/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_CORE_OVERFLOW_H
#define PAPI_CORE_OVERFLOW_H

#include "core/eventset.h"
#include "core/profile.h"

/* Overflows of an event set: which events, how often, and what is done then. The component sends its
 * signal to the thread that counts; the handler here takes the overflows from the component. */

struct overflow_event {
    int code;
    int threshold;             /* 0: a free place */
    struct profile *profile;   /* a histogram, or NULL: the set's handler is called */
};

struct overflow {
    PAPI_overflow_handler_t handler;
    int flags; /* PAPI_OVERFLOW_*: of all events alike */
    struct overflow_event event[MAX_EVENTS];
};

/* Makes an event of the set overflow every threshold counts (0: no longer). profile: NULL, or what is
 * done instead of calling the handler; taken over if it works. Library locked.
 * PAPI_EISRUN, PAPI_EINVAL, PAPI_ECNFLCT, PAPI_ENOSUPP, PAPI_ENOMEM. */
int overflow_set(struct eventset *set, int code, int threshold, int flags, PAPI_overflow_handler_t handler,
                 struct profile *profile, struct reason *why);

/* Before an event leaves its set: it overflows no longer. */
void overflow_forget(struct eventset *set, int code);
void overflow_forget_all(struct eventset *set);

/* PAPI_OVERFLOWING and PAPI_PROFILING, or 0. */
int overflow_state(const struct eventset *set);

/* The positions of the events whose bits are set in a vector; returns how many there are and writes
 * at most n. */
int overflow_positions(const struct eventset *set, long long vector, int *positions, int n);

#endif
