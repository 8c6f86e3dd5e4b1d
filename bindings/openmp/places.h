/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* Places of the program at which regions begin or threads wait, with what was counted there. They are made
 * when they are first met, and never freed: threads hold pointers to them. */

enum { MOST_PLACES = 1024, MOST_COUNTS = 12 };
enum place_kind { PLACE_REGION, PLACE_BARRIER, PLACE_TASKS, PLACE_LOCK, PLACE_KINDS };

/* Figures of the threads that had one number in their teams; they add to it by atomic instructions, as a
 * region may be executed by several teams at the same time. */
struct slot {
    _Alignas(64) _Atomic uint64_t calls;
    _Atomic uint64_t work;      /* nanoseconds outside of barriers and their like */
    _Atomic uint64_t barriers;  /* at barriers inside of the region, and waiting for tasks */
    _Atomic uint64_t locks;     /* a part of the work: waiting to enter critical sections and for locks */
    _Atomic uint64_t prepared;  /* making its counters */
    _Atomic uint64_t uncounted; /* a part of the work: the counters could not be read */
    _Atomic int64_t count[MOST_COUNTS];
};

enum { SLOT_BLOCK = 16, SLOT_BLOCKS = 64, MOST_NUMBERS = SLOT_BLOCK * SLOT_BLOCKS };

struct place {
    enum place_kind kind;
    uintptr_t code;             /* the call returns there; 0: the runtime did not tell */
    const struct place *region; /* of a place at which threads wait */
    /* of a region: */
    _Atomic uint64_t calls, nested; /* nested: those inside of other regions */
    _Atomic uint64_t elapsed;       /* from begin to end */
    _Atomic uint64_t capacity;      /* the same, times the threads of each */
    _Atomic uint64_t longest;       /* the sum of the longest work of a thread in each, times the threads */
    _Atomic uint64_t uneven;        /* of threads that had no more work while another one had, at the end */
    _Atomic int threads;            /* of the largest team */
    _Atomic uint64_t alone;         /* calls by a team of one */
    _Atomic int tasks;              /* 1: its threads may have worked while they seemed to wait */
    _Atomic int around;             /* 1: other regions were inside of it */
    struct slot *_Atomic block[SLOT_BLOCKS]; /* of a region */
    /* of another place: */
    _Atomic uint64_t waits, waited, most; /* nanoseconds; most: the longest one */
};

struct places {
    struct place *_Atomic table[2 * MOST_PLACES];
    _Atomic int n;
    _Atomic uint64_t left_out; /* executions and waits for which there was no room */
};

/* The place, made where it is new. NULL: there is no room. */
struct place *place_find(enum place_kind kind, const void *code, const struct place *region);

/* The figures of a number of a region's teams. NULL: no memory. Numbers from MOST_NUMBERS on share the last.
 */
struct slot *place_slot(struct place *region, int number);

/* The same, if there is one. */
const struct slot *place_slot_there(const struct place *region, int number);

/* Adds the figures of a place to those of another one of its kind. */
void place_merge(struct place *into, const struct place *from);

static inline void figure_add(_Atomic uint64_t *to, uint64_t value)
{
    atomic_fetch_add_explicit(to, value, memory_order_relaxed);
}

static inline uint64_t figure(const _Atomic uint64_t *of)
{
    return atomic_load_explicit(of, memory_order_relaxed);
}

static inline void figure_most(_Atomic uint64_t *to, uint64_t value)
{
    uint64_t most = figure(to);
    while (value > most && !atomic_compare_exchange_weak_explicit(to, &most, value, memory_order_relaxed,
                                                                  memory_order_relaxed))
        ;
}
