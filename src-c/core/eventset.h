/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "core/resolve.h"

enum { MAX_EVENTS = MAX_COUNTERS };

/* An event of a set: what was added, the counters that make its value, and its overflows. */
struct set_event {
    int code;
    enum derivation derivation;
    int n_counters;
    unsigned char counter[MAX_OPERANDS];
    struct formula *formula; /* DERIVED_POSTFIX: its own copy */
    int threshold;           /* it overflows every so many counts; 0: never */
    struct profile *profile; /* a histogram of that, or NULL: the set's handler is called */
    long long next;          /* by software: the count of its next overflow */
};

/* True if a counter's own count is the event's value. */
static inline bool event_is_single(const struct set_event *event)
{
    return event->n_counters == 1 && event->derivation != DERIVED_POSTFIX;
}

/* Stopped, but the counts of the run could not be had: a read of the stopped set is an error too. */
enum { STOPPED_UNCOUNTED = PAPI_STOPPED | 0x40 };

/* A parked set while it starts: its values are 0 and not yet those of the counters. */
enum { RESUMING = 0x20 };

/* Stages of a call that changes a set. A signal's handler may interrupt it: a reading there finds the
 * set whole at any instruction, and another change is refused, but for a stop of a set whose counts are being
 * changed, of which that call finds out at its end. TAKES_COUNTS: until then the base may be past that stop.
 */
enum { CHANGES_COUNTS = 1, SWITCHES = 2, TAKES_COUNTS = 4, WRITES = 8, OVERTAKEN = 0x80 };

/* An event set: events on one group of counters. Counts are virtual: a counter's value is what it
 * shows less its base, and whatever zeroes or sets a value moves the base. */
struct overflow;

struct eventset {
    struct counter_group *group; /* NULL: no event yet, or lost to the parent of a fork */
    union {
        struct {
            uint8_t state; /* PAPI_STOPPED, PAPI_RUNNING, STOPPED_UNCOUNTED or RESUMING */
            uint8_t plain; /* event i is counter i, less its base: nothing to derive */
            uint8_t busy;  /* 0, or what a call is doing */
        };
        uint16_t state_plain; /* to compare at once */
        uint32_t state_plain_busy;
    };
    int lost;           /* made before a fork: the counters are the parent's */
    _Atomic int closed; /* no longer the program's, see eventset_close */
    int parked;         /* its counters are on, also while it is stopped: below */
    int displaced;      /* times in a row that another set's start ended that */
    int parks;          /* a stop leaves the counters on; decided when they are started */
    int parks_plain;    /* and the set is plain */
    int n_events;
    const uint64_t *base; /* the group's own array after a reset of the stopped set, else of own_base */
    uint64_t zero[MAX_COUNTERS];  /* always: reading from there gives what the counters show */
    uint64_t value[MAX_COUNTERS]; /* of the counters, as long as the set is stopped */
    struct opened_counter counter[MAX_COUNTERS];
    struct set_event event[MAX_EVENTS];
    int handle;
    int component; /* its index, -1: not bound yet */
    struct group_options options;
    struct overflow *overflow; /* state of its overflows; NULL: none */
    struct papi_thread *owner;
    struct eventset *next, **place; /* in the owner's list */
    /* A new base is complete before base points to it: a handler may read in between. The addresses of the
     * two differ by one bit. */
    _Alignas(2 * MAX_COUNTERS * sizeof(uint64_t)) uint64_t own_base[2][MAX_COUNTERS];
};

/* The one of the set's own arrays that base does not point to. */
static inline uint64_t *eventset_spare_base(struct eventset *set)
{
    return set->base == set->own_base[0] ? set->own_base[1] : set->own_base[0];
}

/* The set's other own array, while it runs: base is one of them then. */
static inline uint64_t *eventset_other_base(const struct eventset *set)
{
    return (uint64_t *)((uintptr_t)set->base ^ sizeof set->own_base[0]);
}

/* The value of a counter of a stopped set: a level is what it was. */
static inline uint64_t eventset_stopped_value(const struct eventset *set, int counter)
{
    bool level = set->group->levels >> counter & 1;
    return count_difference(set->group, counter, set->group->stopped[counter],
                            level ? 0 : set->base[counter]);
}

/* True if the value of an event is the bits of a double. A formula of counters that are real is not. */
static inline bool eventset_is_real(const struct eventset *set, const struct set_event *event)
{
    if (event->formula != NULL)
        return event->formula->real;
    return event->n_counters == 1 && (set->group->reals >> event->counter[0] & 1) != 0;
}

/* Functions that create, change and describe a set. The library is locked in all of these. */
int eventset_create(int *handle, struct reason *why);
int eventset_add(struct eventset *set, int event, struct reason *why);
int eventset_add_named(struct eventset *set, const char *name, struct reason *why);
int eventset_remove(struct eventset *set, int event, struct reason *why);
int eventset_remove_named(struct eventset *set, const char *name, struct reason *why);
int eventset_cleanup(struct eventset *set, struct reason *why);
int eventset_bind(struct eventset *set, int component, struct reason *why);
int eventset_set_options(struct eventset *set, const struct group_options *options, struct reason *why);
int eventset_set_period(struct eventset *set, int counter, uint64_t period,
                        struct reason *why); /* overflow.h */
int eventset_state(const struct eventset *set);

/* Refuses options that exclude one another, whatever the component and the order of the calls: PAPI_EINVAL.
 *   overflows  some of its events do, by hardware */
int eventset_check_options(const struct group_options *options, bool overflows, struct reason *why);

/* Frees a set, whatever it holds: in the owner's thread, which is in no handler of overflows, or for a thread
 * that has ended. */
void eventset_destroy(struct eventset *set);

/* Closes a set that its owner may be using, in another thread or in what a handler interrupted: the set
 * counts no longer, its handle is invalid, and all else stays until thread_sweep destroys it. */
void eventset_close(struct eventset *set);

/* Destroys a set of the calling thread, or closes it where a handler does so. */
void eventset_give_up(struct eventset *set);

/* Ends the counting of a closed set, which a call that was under way may have begun again.
 * Async-signal-safe. */
void eventset_silence(const struct eventset *set);

/* Set the reason of a refusal and return its code: PAPI_ENOINIT or PAPI_ENOEVST for a closed set; PAPI_EISRUN
 * for a running one. */
int eventset_is_closed(const struct eventset *set, struct reason *why) __attribute__((cold));
int eventset_is_running(const struct eventset *set, struct reason *why) __attribute__((cold));

/* Checks that a set may be changed: PAPI_OK, or one of these codes, or PAPI_ECLOST: the set was made before a
 * fork. */
int eventset_changeable(const struct eventset *set, struct reason *why);

/* Index of an event in the set; -1: it is not there. */
int eventset_position(const struct eventset *set, int event);

/* The counters' values of a stopped set, whose counts a change of the group moves: taken before, and put
 * back by the base after. */
void eventset_take_values(const struct eventset *set, uint64_t *value);
void eventset_put_values(struct eventset *set, int n, const uint64_t *value);

static inline bool eventset_runs(const struct eventset *set)
{
    return set->state == PAPI_RUNNING && !set->closed;
}

/* Closes the parent's counters in the child of a fork. Async-signal-safe. */
void eventset_lose(struct eventset *set);

/* Counting (counting.c). No lock; a failure leaves its reason with the owner. */
int eventset_start(struct eventset *set);
int eventset_stop(struct eventset *set, long long *values);
int eventset_read(struct eventset *set, long long *values);
int eventset_accum(struct eventset *set, long long *values);
int eventset_reset(struct eventset *set);
int eventset_write(struct eventset *set, const long long *values);

/* Gives what each thread has counted since the start: PAPI_read_threads. */
int eventset_read_threads(struct eventset *set, long long *tids, long long *ended, long long *values, int *n);

/* The share of the time for which each event was counted: PAPI_read_shares. */
int eventset_read_shares(struct eventset *set, double *shares);

/* The events' values of a running set, if the counters had begun at a base. */
int eventset_counted_since(struct eventset *set, const uint64_t *base, long long *values);

/* ---- parking */

/* Parked event sets: stopped, with their counters on.
 *
 * To start and to stop a set takes a system call each, which programs that measure short pieces of code pay
 * every time. Counts are virtual, though: values are what the counters show less a base. So a stop can be a
 * reading that notes the counts, and the start after it a reading that takes the new counts as base; what the
 * counters count in between is in no value. Where counters can be read in user space, both are then without
 * system calls.
 *
 * Parked counters occupy hardware that other sets may need, so they are switched off when another event set
 * of the thread is started, unless it is parked itself, and before any is changed. A set that has been
 * displaced MOST_DISPLACED times in a row is not parked again. Sets are not parked if they overflow, or if
 * their component cannot note counts of a running group: those of other threads or CPUs, multiplexed and
 * inherited ones, and groups in parts. */

/* A set that others keep displacing is better stopped: to park it would only add a reading. */
enum { MOST_DISPLACED = 2 };

/* Decides, when the counters of a set are started, whether its stop leaves them on. */
static inline void parking_choose(struct eventset *set)
{
    set->parks = set->group->note != NULL && set->overflow == NULL && set->displaced < MOST_DISPLACED &&
                 atomic_load_explicit(&papi_library.parking, memory_order_relaxed);
    set->parks_plain = set->parks && set->plain;
}

/* Marks a set as parked, once its counts are noted and before its state says that it is stopped: a handler of
 * overflows that starts another set ends the parking of those that are stopped. */
static inline void parking_begin(struct eventset *set)
{
    set->parked = 1;
    set->owner->has_parked = 1;
}

/* Turns off the counters of all parked sets of the calling thread; their values stay. Nothing can fail: a
 * set whose counts cannot be had any more begins anew at its next start. The library is locked. */
void parking_end(struct papi_thread *self) __attribute__((cold));

/* Turns off the counters of parked sets where another set is started, without the lock. */
void parking_displace(struct papi_thread *self) __attribute__((cold));
