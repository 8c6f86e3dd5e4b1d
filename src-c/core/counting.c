/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starting, stopping and reading of event sets, without locks.
 *
 * An event set belongs to the thread that made it, so calls on it compete only with signal handlers of that
 * same thread, which may interrupt them at any instruction and call the library on the same set. A handler
 * runs to its end before the call goes on, or leaves it for good by siglongjmp. That makes the following
 * enough:
 *
 * state, plain and busy share one word, so that the common case is one comparison. Calls that change the set
 * mark their stage in busy and look at the state after that, the fast ones of accum and reset once more at
 * their end: a handler that came before the mark has finished its change, and one that comes after it sees
 * the mark. It may always read; other changes are refused (PAPI_ECNFLCT). Only a stop is let through where
 * counts are being taken, as a handler must be able to stop a set: it sets OVERTAKEN, and the interrupted
 * call then leaves the set with the counts of the stop as its base, so that nothing from after the stop is in
 * its values.
 *
 * base points to a complete array at any time: a new one is filled in the spare array and then put in place
 * by one store. Compilers are kept from moving these stores by atomic_signal_fence; the processor needs no
 * fences, as a thread sees its own stores in order.
 */
#include "base/likely.h"
#include "base/seconds.h"
#include "core/eventset.h"
#include "core/overflow.h"

#include <stdlib.h>
#include <string.h>

/* The place of a failure's reason: the thread that calls, which is the owner. */
static inline struct reason *why_of(const struct eventset *set)
{
    return &set->owner->why;
}

static __attribute__((cold)) int not_countable(const struct eventset *set)
{
    if (set->lost)
        return reason_set(
            why_of(set), PAPI_ECLOST,
            "event set %d was made before a fork: its counters belong to the parent process; make a "
            "new one here",
            set->handle);
    if (set->n_events > 0)
        return reason_set(why_of(set), PAPI_ECNFLCT,
                          "event set %d was stopped without counts: the error of PAPI_stop said why",
                          set->handle);
    return reason_set(why_of(set), PAPI_EINVAL, "event set %d has no events", set->handle);
}

static __attribute__((cold)) int not_running(const struct eventset *set)
{
    if (set->lost)
        return not_countable(set);
    return reason_set(why_of(set), PAPI_ENOTRUN, "event set %d is not running", set->handle);
}

/* The value of a counter in a stopped set. A call that took counts from the set while a handler stopped it
 * has moved the base past the stop, until the call's end: nothing is left of the value then. */
static uint64_t taken(const struct eventset *set, uint64_t value)
{
    return (set->busy & TAKES_COUNTS) != 0 && value >> 63 != 0 ? 0 : value;
}

static void take_stopped(const struct eventset *set, uint64_t *value)
{
    bool zero = set->state == RESUMING;
    for (int i = 0; i < set->group->n_counters; i++)
        value[i] = zero ? 0 : taken(set, eventset_stopped_value(set, i));
    atomic_signal_fence(memory_order_seq_cst);
}

/* Shows the values of a stopped set. They are read until two readings are alike: a handler may have started
 * the set in between, and stopped it again. */
static __attribute__((noinline)) int show_stopped(const struct eventset *set, uint64_t *value)
{
    uint64_t again[MAX_COUNTERS];
    do {
        if (unlikely(set->n_events == 0 || set->lost || set->state == STOPPED_UNCOUNTED))
            return not_countable(set);
        if (set->state == PAPI_RUNNING)
            return set->group->read(set->group, set->base, value, why_of(set));
        take_stopped(set, again);
        take_stopped(set, value);
    } while (set->state == PAPI_RUNNING ||
             memcmp(value, again, (size_t)set->group->n_counters * sizeof *value) != 0);
    return PAPI_OK;
}

/* ---- in a call of the set */

static __attribute__((cold)) int interrupted(const struct eventset *set)
{
    return reason_set(
        why_of(set), PAPI_ECNFLCT,
        "this signal handler has interrupted a call that changes event set %d: PAPI_read works "
        "here, other calls on the set do in the next signal, or in the program; after a handler "
        "was left by siglongjmp, PAPI_cleanup_eventset makes the set usable",
        set->handle);
}

/* Ends a call during which a handler has stopped the set: its values are 0, with no counts from after the
 * stop. */
static __attribute__((cold, noinline)) void was_stopped(struct eventset *set)
{
    set->base = set->group->stopped;
    atomic_signal_fence(memory_order_seq_cst);
    set->busy = 0;
}

static inline void begin(struct eventset *set, int what)
{
    set->busy = (uint8_t)what;
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void end(struct eventset *set)
{
    atomic_signal_fence(memory_order_seq_cst);
    set->busy = 0;
}

/* Ends a call that changes counts. */
static inline void end_change(struct eventset *set)
{
    atomic_signal_fence(memory_order_seq_cst);
    if (unlikely((set->busy & OVERTAKEN) != 0))
        was_stopped(set);
    else
        set->busy = 0;
}

/* The same for a set that ran when that was looked at, before the begin: a handler may have stopped it since,
 * and does not say so before the mark is there. None starts it again before the end. */
static inline void end_plain_change(struct eventset *set)
{
    atomic_signal_fence(memory_order_seq_cst);
    if (unlikely(set->state != PAPI_RUNNING))
        was_stopped(set);
    else
        set->busy = 0;
}

/* Adds TAKES_COUNTS to the mark of a call, with what a handler's stop notes there meanwhile. The word that it
 * is in, as not every processor has an instruction for a byte. */
static inline void mark_taken(struct eventset *set)
{
    static const union {
        struct {
            uint8_t state, plain, busy, unused;
        };
        uint32_t all;
    } mark = {{0, 0, TAKES_COUNTS, 0}};
    __atomic_fetch_or(&set->state_plain_busy, mark.all, __ATOMIC_RELAXED);
}

/* True if event i of a running set is counter i. */
static inline bool runs_plain(const struct eventset *set)
{
    static const union {
        struct {
            uint8_t state, plain;
        };
        uint16_t both;
    } wanted = {{PAPI_RUNNING, 1}};
    return likely(set->state_plain == wanted.both);
}

/* True if runs_plain is, and the set is in no call that a handler has interrupted. */
static inline bool runs_plain_idle(const struct eventset *set)
{
    static const union {
        struct {
            uint8_t state, plain, busy, unused;
        };
        uint32_t all;
    } wanted = {{PAPI_RUNNING, 1, 0, 0}};
    return likely(set->state_plain_busy == wanted.all);
}

/* Puts the counters' values into value: by a reading, or those of the stopped set. */
static inline int show(struct eventset *set, uint64_t *value)
{
    if (likely(set->state == PAPI_RUNNING))
        return set->group->read(set->group, set->base, value, why_of(set));
    return show_stopped(set, value);
}

/* True if a reading has written the counts: also those of a running set that its component fears to be too
 * little, which come with an error. */
static inline bool counts_written(const struct eventset *set, int code)
{
    return code == PAPI_OK || (code == PAPI_ECLOST && set->state == PAPI_RUNNING);
}

static long long derived(const struct set_event *event, const uint64_t *value)
{
    long long operand[MAX_OPERANDS];
    for (int i = 0; i < event->n_counters; i++)
        operand[i] = (long long)value[event->counter[i]];
    return derived_value(event->derivation, event->formula, event->n_counters, operand);
}

static long long event_value(const struct eventset *set, int i, const uint64_t *value)
{
    return set->plain ? (long long)value[i] : derived(&set->event[i], value);
}

/* Adds a value: as a real number if the event's value is one, which only a counter's own count can be. */
static void add_value(const struct eventset *set, int i, long long value, long long *to)
{
    const struct set_event *event = &set->event[i];
    if (eventset_is_real(set, event))
        *to = (long long)count_sum(set->group, event->counter[0], (uint64_t)*to, (uint64_t)value);
    else
        *to += value;
}

/* Fills the spare base with what the counters show at these values. */
static uint64_t *base_at(struct eventset *set, const uint64_t *value)
{
    uint64_t *base = eventset_spare_base(set);
    int n = set->group->n_counters;
    for (int i = 0; i < n; i++)
        base[i] = count_sum(set->group, i, set->base[i], value[i]);
    return base;
}

static inline void zero_stopped(struct eventset *set)
{
    set->base = set->group->stopped;
}

/* Puts the base into the set's own array, where that of a running set must be, also if the set was stopped
 * and reset while a call that found it running was about to begin. */
static void own_base(struct eventset *set)
{
    uint64_t *base = eventset_spare_base(set);
    memcpy(base, set->base, (size_t)set->group->n_counters * sizeof *base);
    atomic_signal_fence(memory_order_seq_cst);
    set->base = base;
}

/* Stops a set that another thread's shutdown has closed while its counters were started. */
static __attribute__((cold)) int started_too_late(struct eventset *set)
{
    eventset_silence(set);
    set->state = PAPI_STOPPED;
    return eventset_is_closed(set, why_of(set));
}

static __attribute__((cold)) int start_overflows(struct eventset *set)
{
    begin(set, CHANGES_COUNTS); /* its handler may come before the start returns, and stop it */
    int code = overflow_start(set, why_of(set));
    own_base(set);
    return code == PAPI_OK && set->closed ? started_too_late(set) : code;
}

static inline int start_now(struct eventset *set)
{
    zero_stopped(set);
    parking_choose(set);
    if (unlikely(set->overflow != NULL))
        return start_overflows(set);
    int code = set->group->ops->start(set->group, why_of(set));
    own_base(set);
    if (likely(code == PAPI_OK))
        set->state = PAPI_RUNNING;
    if (unlikely(set->closed))
        return started_too_late(set);
    return code;
}

/* Starts a set if its counters can be had: what has none, and would miss what is counted, is stopped again.
 */
static int start_if_free(struct eventset *set)
{
    const struct group_ops *ops = set->group->ops;
    uint64_t count[MAX_COUNTERS];
    int code = ops->obtainable != NULL ? ops->obtainable(set->group, papi_library.root) : PAPI_OK;
    code = code ?: start_now(set);
    if (code != PAPI_OK || set->options.multiplex) /* of which some wait for their turn */
        return code;
    int shown = set->group->read(set->group, set->base, count, why_of(set));
    if (shown != PAPI_ECNFLCT)
        return PAPI_OK;
    if (set->overflow != NULL)
        overflow_stop(set, NULL);
    else
        ops->stop(set->group, NULL);
    set->state = PAPI_STOPPED;
    return PAPI_ECNFLCT;
}

/* Starts a set once its counters can be had, or gives it up after so long. */
static __attribute__((cold, noinline)) int start_waiting(struct eventset *set)
{
    const long shortest = 1000000, longest = 20000000; /* ns from one try to the next */
    uint64_t end = nsec_of(CLOCK_MONOTONIC) + (uint64_t)set->options.wait_ns;
    struct timespec pause = {0, shortest};
    int code = start_if_free(set);
    while (code == PAPI_ECNFLCT && !set->closed && nsec_of(CLOCK_MONOTONIC) < end) {
        nanosleep(&pause, NULL);
        pause.tv_nsec = 2 * pause.tv_nsec < longest ? 2 * pause.tv_nsec : longest;
        code = start_if_free(set);
    }
    if (code == PAPI_ECNFLCT && set->group->ops->held != NULL)
        code = set->group->ops->held(papi_library.root, why_of(set));
    return code;
}

static int start_counters(struct eventset *set)
{
    if (unlikely(set->n_events == 0 || set->lost))
        return not_countable(set);
    if (unlikely(set->owner->has_parked))
        parking_displace(set->owner);
    return unlikely(set->options.wait_ns > 0) ? start_waiting(set) : start_now(set);
}

/* Starts a parked set from scratch, because its counters were lost to another user of the machine, or the
 * start was overtaken. */
static __attribute__((noinline, cold)) int start_anew(struct eventset *set)
{
    set->state = PAPI_STOPPED;
    set->parked = 0;
    set->group->ops->stop(set->group, NULL);
    return start_counters(set);
}

/* A handler of overflows may read the set meanwhile, or start another one: as long as this one is not yet
 * running, that ends its parking. The counters of a set that is closed meanwhile stay off: a reading turns
 * nothing on. */
static inline int resume(struct eventset *set)
{
    uint64_t *count = set->own_base[0];
    set->state = RESUMING;
    atomic_signal_fence(memory_order_seq_cst);
    if (unlikely(set->group->read(set->group, set->zero, count, why_of(set)) != PAPI_OK))
        return start_anew(set);
    set->base = count;
    set->displaced = 0;
    atomic_signal_fence(memory_order_seq_cst);
    set->state = PAPI_RUNNING;
    atomic_signal_fence(memory_order_seq_cst);
    return likely(set->parked) ? PAPI_OK : start_anew(set);
}

static __attribute__((cold)) int running(const struct eventset *set)
{
    return reason_set(why_of(set), PAPI_EISRUN, "event set %d is running", set->handle);
}

static __attribute__((cold)) int start_within(const struct eventset *set)
{
    return set->state == PAPI_RUNNING ? running(set) : interrupted(set);
}

static __attribute__((cold)) int started_before(struct eventset *set)
{
    end(set);
    return running(set);
}

/* Starts a set. The mark comes before the look at the state, or a handler in between would start the set a
 * first time. */
int eventset_start(struct eventset *set)
{
    if (unlikely(set->busy != 0))
        return start_within(set);
    begin(set, SWITCHES);
    if (unlikely(set->state == PAPI_RUNNING))
        return started_before(set);
    int code = set->parked ? resume(set) : start_counters(set);
    end(set);
    return code;
}

static void give(const struct eventset *set, const uint64_t *value, long long *values)
{
    for (int i = 0; i < set->n_events; i++)
        values[i] = event_value(set, i, value);
}

static __attribute__((noinline)) void give_stopped(struct eventset *set, long long *values)
{
    uint64_t value[MAX_COUNTERS];
    show(set, value);
    give(set, value, values);
}

/* Stops a running set and leaves its counters on. Its state changes last: an overflow handler that reads
 * before asks the counters. */
static inline int park(struct eventset *set, uint64_t *value)
{
    int code = set->group->note(set->group, set->base, value, why_of(set));
    if (unlikely(code != PAPI_OK))
        return code;
    parking_begin(set);
    atomic_signal_fence(memory_order_seq_cst);
    set->state = PAPI_STOPPED;
    return PAPI_OK;
}

static __attribute__((noinline)) int park_without_values(struct eventset *set)
{
    uint64_t value[MAX_COUNTERS];
    return park(set, value);
}

static int stop_counters(struct eventset *set)
{
    if (set->parks && park_without_values(set) == PAPI_OK)
        return PAPI_OK;
    set->parked = 0;
    int code = set->group->ops->stop(set->group, why_of(set));
    set->state = PAPI_STOPPED;
    return code;
}

/* Ends a stop: gives the values if the counts are there, though they may be too little; otherwise the set has
 * none. */
static __attribute__((noinline)) int stopped(struct eventset *set, int code, long long *values)
{
    if (code != PAPI_OK && code != PAPI_ECLOST)
        set->state = STOPPED_UNCOUNTED;
    else if (values != NULL)
        give_stopped(set, values);
    return code;
}

static int stop_running(struct eventset *set, long long *values)
{
    if (unlikely(set->overflow != NULL))
        return stopped(set, overflow_stop(set, why_of(set)), values);
    int code = stop_counters(set);
    if (unlikely(code != PAPI_OK) || values == NULL || unlikely(!set->plain))
        return stopped(set, code, values);
    const uint64_t *count = set->group->stopped;
    for (int i = 0; i < set->n_events; i++)
        values[i] = (long long)(count[i] - set->base[i]);
    return PAPI_OK;
}

/* Stops a set in a handler that has interrupted a call of it. If that call switches the set, it goes on to
 * start or stop it. */
static __attribute__((cold)) int stop_within(struct eventset *set, long long *values)
{
    if (set->busy == WRITES)
        return interrupted(set);
    if ((set->busy & CHANGES_COUNTS) == 0)
        return reason_set(why_of(set), PAPI_ENOTRUN,
                          "event set %d is being started or stopped by the call that this signal handler has "
                          "interrupted",
                          set->handle);
    uint8_t busy = set->busy;
    set->busy = SWITCHES | OVERTAKEN;
    int code = stop_running(set, values);
    set->busy = busy | OVERTAKEN;
    return code;
}

static __attribute__((cold)) int not_running_within(const struct eventset *set)
{
    if (set->lost)
        return not_countable(set);
    return reason_set(
        why_of(set), PAPI_ENOTRUN,
        "event set %d is not running, but in a call that a signal handler has interrupted; after "
        "a handler was left by siglongjmp, PAPI_cleanup_eventset makes the set usable",
        set->handle);
}

static __attribute__((noinline)) int stop(struct eventset *set, long long *values)
{
    if (unlikely(set->busy != 0))
        return set->state == PAPI_RUNNING ? stop_within(set, values) : not_running_within(set);
    begin(set, SWITCHES);
    int code = set->state == PAPI_RUNNING ? stop_running(set, values) : not_running(set);
    end(set);
    return code;
}

static __attribute__((cold, noinline)) int stop_anew(struct eventset *set, long long *values)
{
    end(set);
    return stop(set, values);
}

int eventset_stop(struct eventset *set, long long *values)
{
    bool direct = set->parks_plain && values != NULL && set->busy == 0;
    if (unlikely(!direct))
        return stop(set, values);
    begin(set, SWITCHES);
    if (unlikely(set->state != PAPI_RUNNING))
        return stop_anew(set, values);
    int code = park(set, (uint64_t *)values);
    end(set);
    return likely(code == PAPI_OK) ? PAPI_OK : stop(set, values);
}

static void give_derived(const struct eventset *set, const uint64_t *value, long long *values)
{
    int n = set->n_events;
    if (n < 1) /* a set that is shown has events */
        __builtin_unreachable();
    for (int i = 0; i < n; i++)
        values[i] = derived(&set->event[i], value);
}

static __attribute__((cold, noinline)) int give_lost(const struct eventset *set, int code,
                                                     const uint64_t *value, long long *values)
{
    if (counts_written(set, code))
        give_derived(set, value, values);
    return code;
}

static __attribute__((noinline)) int read_derived(struct eventset *set, long long *values)
{
    uint64_t value[MAX_COUNTERS];
    int code = show(set, value);
    if (unlikely(code != PAPI_OK))
        return give_lost(set, code, value, values);
    give_derived(set, value, values);
    return PAPI_OK;
}

int eventset_read(struct eventset *set, long long *values)
{
    if (runs_plain(set))
        return set->group->read(set->group, set->base, (uint64_t *)values, why_of(set));
    return set->plain ? show_stopped(set, (uint64_t *)values) : read_derived(set, values);
}

/* Refuses events that cannot be added up: a share of what was counted, such as a percentage, has no sums. */
static int check_addable(const struct eventset *set)
{
    uint64_t computed = set->group != NULL && set->group->ops->renew != NULL ? set->group->levels : 0;
    for (int i = 0; i < set->n_events; i++)
        if ((set->event[i].formula != NULL && set->event[i].formula->real) ||
            (computed >> set->event[i].counter[0] & 1) != 0)
            return reason_set(
                why_of(set), PAPI_ECMP,
                "event %d of the set is a share or the like, which cannot be added up: PAPI_read gives that "
                "since the last PAPI_start or PAPI_reset",
                i);
    return PAPI_OK;
}

static int renew(const struct eventset *set)
{
    if (set->group->ops->renew != NULL)
        set->group->ops->renew(set->group, set->base);
    return PAPI_OK;
}

/* Ends what is known of the time before: what others had of a set's counters then says nothing of now. */
static void renew_shared(const struct eventset *set)
{
    if (set->options.share)
        renew(set);
}

static int accum_values(struct eventset *set, long long *values)
{
    uint64_t value[MAX_COUNTERS];
    int code = check_addable(set);
    if (code == PAPI_OK)
        code = show(set, value);
    if (!counts_written(set, code))
        return code;
    for (int i = 0; i < set->n_events; i++)
        add_value(set, i, event_value(set, i, value), &values[i]);
    mark_taken(set);
    set->base = base_at(set, value); /* it is no longer part of the values */
    renew_shared(set);
    return code;
}

/* The path for a set that is not plain, is stopped, or is in a call. */
static __attribute__((noinline)) int accum_derived(struct eventset *set, long long *values)
{
    if (unlikely(set->busy != 0))
        return interrupted(set);
    begin(set, CHANGES_COUNTS);
    int code = accum_values(set, values);
    end_change(set);
    return code;
}

/* Adds the counts to values and makes them the new base, for sets whose component has no faster way. */
static int take_counts(struct eventset *set, uint64_t *count, long long *values)
{
    int code = set->group->read(set->group, set->zero, count, why_of(set));
    if (unlikely(code != PAPI_OK) && !counts_written(set, code))
        return code;
    int n = set->n_events;
    if (n < 1) /* a set that runs has events */
        __builtin_unreachable();
    for (int i = 0; i < n; i++)
        values[i] += (long long)(count[i] - set->base[i]);
    set->base = count;
    return code;
}

static __attribute__((noinline)) int accum_by_read(struct eventset *set, long long *values)
{
    int code = take_counts(set, eventset_other_base(set), values);
    end_plain_change(set);
    return code;
}

int eventset_accum(struct eventset *set, long long *values)
{
    if (!runs_plain_idle(set))
        return accum_derived(set, values);
    begin(set, CHANGES_COUNTS | TAKES_COUNTS);
    const uint64_t *base = set->base; /* which no handler moves now */
    uint64_t *count = eventset_other_base(set);
    if (unlikely(!set->group->accum(set->group, base, count, values)))
        return accum_by_read(set, values);
    set->base = count;
    end_plain_change(set);
    return PAPI_OK;
}

/* Zeroes a stopped set for good, whatever an interrupted stop was about to show. */
static int reset_stopped(struct eventset *set)
{
    zero_stopped(set);
    own_base(set);
    set->state = PAPI_STOPPED;
    return renew(set);
}

static int reset_running(struct eventset *set)
{
    uint64_t *count = eventset_other_base(set);
    mark_taken(set);
    int code = set->group->read(set->group, set->zero, count, why_of(set));
    if (counts_written(set, code))
        set->base = count; /* what was missed before does not matter any more */
    return counts_written(set, code) ? renew(set) : code;
}

/* The path for a set that is not plain, is stopped, or is in a call. */
static __attribute__((noinline)) int reset_otherwise(struct eventset *set)
{
    if (set->n_events == 0 || set->lost)
        return not_countable(set);
    if (set->busy != 0)
        return set->state == PAPI_RUNNING || (set->busy & OVERTAKEN) == 0 ? interrupted(set)
                                                                          : reset_stopped(set);
    begin(set, CHANGES_COUNTS);
    int code = set->state == PAPI_RUNNING ? reset_running(set) : reset_stopped(set);
    end_change(set);
    return code;
}

int eventset_reset(struct eventset *set)
{
    if (!runs_plain_idle(set))
        return reset_otherwise(set);
    uint64_t *count = eventset_other_base(set);
    begin(set, CHANGES_COUNTS | TAKES_COUNTS);
    int code = set->group->read(set->group, set->zero, count, why_of(set));
    if (unlikely(code != PAPI_OK)) {
        end_plain_change(set);
        return reset_otherwise(set);
    }
    set->base = count;
    end_plain_change(set);
    return PAPI_OK;
}

static int check_single(const struct eventset *set)
{
    for (int i = 0; i < set->n_events; i++)
        if (!event_is_single(&set->event[i]))
            return reason_set(why_of(set), PAPI_ECMP,
                              "event %d of the set is derived: no single counter to set", i);
    return PAPI_OK;
}

/* Writes the levels, numbers that the machine itself shows, that are to be other ones than now. */
static int write_levels(struct eventset *set, const uint64_t *value, const long long *values)
{
    struct counter_group *group = set->group;
    for (int i = 0; i < set->n_events; i++) {
        int c = set->event[i].counter[0], code = PAPI_OK;
        if ((group->levels >> c & 1) != 0 && value[c] != (uint64_t)values[i])
            code = group->ops->write(group, papi_library.root, c, values[i], why_of(set));
        if (code != PAPI_OK)
            return code;
    }
    return PAPI_OK;
}

static int write_values(struct eventset *set, const long long *values)
{
    uint64_t value[MAX_COUNTERS];
    int code = check_single(set) ?: show(set, value);
    if (counts_written(set, code))
        code = PAPI_OK; /* the new values do not depend on what was missed */
    if (code == PAPI_OK && set->group->levels != 0)
        code = write_levels(set, value, values);
    if (code != PAPI_OK)
        return code;
    uint64_t *base = base_at(set, value), count[MAX_COUNTERS];
    memcpy(count, base, (size_t)set->group->n_counters * sizeof *count);
    for (int i = 0; i < set->n_events; i++) {
        int c = set->event[i].counter[0];
        base[c] = count_difference(set->group, c, count[c], (uint64_t)values[i]);
    }
    set->base = base;
    if (set->options.share)
        set->group->ops->renew(set->group, count);
    return PAPI_OK;
}

int eventset_write(struct eventset *set, const long long *values)
{
    if (set->busy != 0)
        return interrupted(set);
    begin(set, WRITES);
    int code = write_values(set, values);
    end(set);
    return code;
}

int eventset_counted_since(struct eventset *set, const uint64_t *base, long long *values)
{
    uint64_t value[MAX_COUNTERS];
    int code = set->group->read(set->group, base, value, why_of(set));
    if (code == PAPI_OK)
        give(set, value, values);
    return code;
}

/* Makes the events' values of each thread of its counters' counts: -1 for one that was not counted. All have
 * the room of the threads. */
static void give_threads(const struct eventset *set, int n, const uint64_t *count, long long *ended,
                         long long *values)
{
    for (int t = 0; t < n; t++) {
        long long *own = values + (size_t)t * (size_t)set->n_events;
        give(set, count + (size_t)t * (size_t)set->group->n_counters, own);
        for (int i = 0; i < set->n_events && (ended[t] & THREAD_UNCOUNTED) != 0; i++)
            own[i] = -1;
        ended[t] &= THREAD_ENDED;
    }
}

/* The share of the time for which the event that was longest without a counter of its own had them all. */
static double share_of(const struct set_event *event, const struct counted_time *time)
{
    double least = 1;
    for (int i = 0; i < event->n_counters; i++) {
        const struct counted_time *of = &time[event->counter[i]];
        double share = of->wanted > of->counted ? (double)of->counted / (double)of->wanted : 1;
        least = share < least ? share : least;
    }
    return least;
}

/* A set of which no time is known to be missed must have counts: without them, it was not counted. */
static int check_counted(struct eventset *set)
{
    uint64_t count[MAX_COUNTERS];
    return show(set, count);
}

int eventset_read_shares(struct eventset *set, double *shares)
{
    struct counted_time time[MAX_COUNTERS] = {{0, 0}};
    int code = PAPI_OK;
    bool whole = true;
    if (set->n_events == 0 || set->lost)
        return not_countable(set);
    if (set->group->ops->times != NULL)
        code = set->group->ops->times(set->group, set->state != PAPI_RUNNING, time, why_of(set));
    for (int i = 0; i < set->n_events && code == PAPI_OK; i++) {
        shares[i] = share_of(&set->event[i], time);
        whole &= shares[i] >= 1;
    }
    return code == PAPI_OK && whole ? check_counted(set) : code;
}

int eventset_read_threads(struct eventset *set, long long *tids, long long *ended, long long *values, int *n)
{
    if (set->n_events == 0 || set->lost || set->state == STOPPED_UNCOUNTED)
        return not_countable(set);
    if (set->group->ops->read_threads == NULL)
        return reason_set(why_of(set), PAPI_EINVAL,
                          "event set %d is not attached by PAPI_attach_process with PAPI_PROCESS_THREADS",
                          set->handle);
    int room = *n > 0 ? *n : 0;
    uint64_t *count = calloc((size_t)room * (size_t)set->group->n_counters + 1, sizeof *count);
    if (count == NULL)
        return reason_set(why_of(set), PAPI_ENOMEM, "out of memory");
    int code = set->group->ops->read_threads(set->group, room, tids, ended, count, n, why_of(set));
    if (counts_written(set, code) || code == PAPI_ECLOST)
        give_threads(set, *n < room ? *n : room, count, ended, values);
    free(count);
    return code;
}
