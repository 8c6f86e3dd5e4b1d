/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include "core/eventset.h"
#include "papi.h"
#include <stdint.h>
#include <time.h>

/* Overflows of an event set: which events, how often, and what is done then. In the hardware form the
 * component sends its signal to the thread that counts, and the handler here takes the overflows from
 * the component; in the software form a timer's signal has the handler compare. */

struct overflow {
    PAPI_overflow_handler_t handler;
    int software;     /* the form, of all events alike */
    int slow;         /* hardware: the handler was slower than the overflows came since the start */
    int stopping;     /* a pause is for good: the counters are stopped, or soon */
    int inside;       /* the handler runs */
    int taking;       /* hardware: an overflow may have been taken of which nobody is told yet */
    unsigned starts;  /* of the set */
    uint64_t last_at; /* hardware: where the last signal interrupted the program */
    uint64_t last_registers;
    int small;        /* a threshold is so small that the program may not get on */
    int stuck;        /* signals in a row that have not let it get on */
    int elsewhere;    /* those of them whose samples were not of the program */
    int tiny;         /* a threshold is that small that it gets on by crawling, if at all */
    int crawls;       /* signals that have come so */
    uint64_t written; /* hardware: the component's number when the signal came */
    timer_t timer;    /* software */
    int has_timer;
    const uint64_t *start; /* software: what the counters showed at the start */
};

/* The first part of overflow_set's checks, of the event and the arguments. */
int overflow_check(const struct eventset *set, int event, int threshold, int flags, struct reason *why);

/* Makes an event of the set overflow every threshold counts (0: no longer). profile: NULL, or what is
 * done instead of calling the handler; taken over if it works. Library locked.
 * PAPI_EISRUN, PAPI_EINVAL, PAPI_ECNFLCT, PAPI_ENOSUPP, PAPI_ENOMEM, PAPI_ESYS. */
int overflow_set(struct eventset *set, int event, int threshold, int flags, PAPI_overflow_handler_t handler,
                 struct profile *profile, struct reason *why);

/* Ends the overflows of the event at a position, before it leaves its set. On an error it still overflows. */
int overflow_forget(struct eventset *set, int position, struct reason *why);

/* Ends all overflows of a set, before its counters are closed. */
void overflow_forget_all(struct eventset *set);

/* Starts and stops a set that has overflows; the set's state is changed too. PAPI_ECLOST of the stop:
 * it is stopped, but overflows are missing. */
int overflow_start(struct eventset *set, struct reason *why) __attribute__((cold, noinline));
int overflow_stop(struct eventset *set, struct reason *why) __attribute__((cold, noinline));

/* The part of a set's state that says what its overflows do: PAPI_OVERFLOWING and PAPI_PROFILING, or 0. */
int overflow_state(const struct eventset *set);

/* Installs the signal's handler for good: a signal that is still on its way must find it. */
int overflow_install(struct reason *why);

/* Calls the program's handler, for both forms. */
void overflow_call(struct eventset *set, uint64_t address, unsigned long long vector, void *context);

/* The software form: CPU time from one comparison to the next; the kernel makes it one of its ticks at least.
 */
enum { SOFTWARE_OVERFLOW_NSEC = 1000000 };

/* Create and delete the timer, which is made with the first event and lives as long as the overflows. */
int software_overflow_open(struct eventset *set, struct reason *why);
void software_overflow_close(struct eventset *set);
/* Prepares the comparisons, before the set runs: the timer of another set of the thread may come at any time
 * from then on. The other two set and stop the set's own timer. */
void software_overflow_begin(struct eventset *set);
void software_overflow_arm(const struct eventset *set);
void software_overflow_disarm(const struct eventset *set);

/* Called by the signal's handler: calls the program's for what has overflowed, and sets the timer again. */
void software_overflow_look(struct eventset *set, void *context);

/* ---- histograms of PAPI_profil */

/* Histograms of addresses, as profil(2) of UNIX made them. An address less the region's offset,
 * times scale/65536, is a byte in an array of 16-bit buckets; for larger buckets it is the same
 * bucket of more bytes. Addresses outside every region are left out. */
struct profile;

/* Regions of the caller's memory; each is checked. NULL with the reason: PAPI_EINVAL, PAPI_ENOMEM. */
struct profile *profile_create(const PAPI_sprofil_t *regions, int n, int flags, int *code,
                               struct reason *why);
void profile_free(struct profile *profile);

/* Takes a sample of a weight, in a signal handler. */
void profile_sample(struct profile *profile, uint64_t address, uint64_t weight);
