/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "core/eventset.h"

/* Parked event sets: stopped, with their counters on. Counts are virtual, so a stop and the start after it
 * are two readings, and the kernel need not switch anything. The counters go off when another event set of
 * the thread needs room: before it is started, unless it is parked itself, and before any is changed. */

/* A set that others keep displacing is better stopped: to park it would only add a reading. */
enum { MOST_DISPLACED = 2 };

/* When the counters of a set are started: decides whether its stop is to leave them on. */
static inline void parking_choose(struct eventset *set)
{
    set->parks = set->group->note != NULL && set->overflow == NULL && set->displaced < MOST_DISPLACED &&
                 atomic_load_explicit(&papi_library.parking, memory_order_relaxed);
    set->parks_plain = set->parks && set->plain;
}

/* At the stop of such a set, whose counts were noted, before its state says so: a handler of overflows that
 * starts another set ends the parking of those that are stopped. */
static inline void parking_begin(struct eventset *set)
{
    set->parked = 1;
    set->owner->has_parked = 1;
}

/* Turns off the counters of all parked sets of the calling thread; their values stay. Nothing can fail: a
 * set whose counts cannot be had any more begins anew at its next start. The library is locked. */
void parking_end(struct papi_thread *self) __attribute__((cold));

/* The same where another set is started, without the lock. */
void parking_displace(struct papi_thread *self) __attribute__((cold));
