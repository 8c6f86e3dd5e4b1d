/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Overflows: from the signal to the program's handler or histogram.
 *
 * In the hardware form the component's signal interrupts the thread that counts, and the handler here takes
 * the waiting overflows from the component and calls the program's handler for each. In the software form a
 * timer of the thread's CPU time has the handler compare values with the next multiples of the thresholds.
 *
 * The handler may be slower than the overflows come. If there is a new overflow when one is handled, counting
 * pauses from then on while handlers run (slow), or the program would never get on. A threshold can be so
 * small that the mere handling of the signal overflows again: the program is then interrupted at the same
 * place with the same registers time after time. note_stuck counts such signals; after too many of them
 * counting ends for good, which PAPI_stop reports.
 *
 * Every overflow of the hardware form is either delivered or reported. A stop takes those that are left in
 * the component: histograms get their samples, and for missed calls of a handler it returns PAPI_ECLOST. An
 * overflow that was taken belongs to the run in which it happened (starts), even if a handler has stopped and
 * started the set in between.
 */
#include "core/overflow.h"
#include "base/signals.h"
#include "core/sampler.h"
#include "hardware/signal_context.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the signal */

/* The event that overflows by a counter, with which others may count; NULL: none. */
static struct set_event *overflowing(struct eventset *set, int counter)
{
    for (struct set_event *event = set->event; event < set->event + set->n_events; event++)
        if (event->threshold != 0 && event->n_counters == 1 && event->counter[0] == counter)
            return event;
    return NULL;
}

/* Calls the program's handler, which may stop the set and change its overflows. */
void overflow_call(struct eventset *set, uint64_t address, unsigned long long vector, void *context)
{
    set->overflow->inside = 1;
    set->overflow->taking = 0;
    set->overflow->handler(set->handle, (void *)(uintptr_t)address, (long long)vector, context);
    if (set->overflow != NULL)
        set->overflow->inside = 0;
}

/* Puts a sample into the event's histogram; returns the event if it has none, since its handler is to be
 * called, or NULL. */
static const struct set_event *sampled(struct eventset *set, int counter, uint64_t address)
{
    struct set_event *event = overflowing(set, counter);
    if (event == NULL || event->profile == NULL)
        return event;
    profile_sample(event->profile, address, 1);
    return NULL;
}

/* Delivers an overflow. If a handler of the program's has stopped the set since it was taken, that stop has
 * said that it is missing: it is none of the next run's. */
static void deliver(struct eventset *set, unsigned starts, int counter, uint64_t address, void *context)
{
    const struct set_event *event = sampled(set, counter, address);
    if (!eventset_runs(set) || set->overflow->starts != starts)
        return;
    if (event != NULL)
        overflow_call(set, address, 1ULL << (event - set->event), context);
    else
        set->overflow->taking = 0;
}

/* Takes an overflow, which a stop in between either finds or fears to be missing. */
static bool take_one(struct eventset *set, int *counter, uint64_t *address)
{
    set->overflow->taking = 1;
    atomic_signal_fence(memory_order_seq_cst);
    if (set->group->ops->take_overflow(set->group, counter, address))
        return true;
    if (eventset_runs(set))
        set->overflow->taking = 0;
    return false;
}

/* True if the component's signal may be for the set. */
static bool is_told(const struct eventset *set)
{
    return eventset_runs(set) && set->overflow != NULL && !set->overflow->software;
}

/* True if the handler takes longer than a threshold. From then on counting pauses while it runs, or the
 * program would not get on any more. */
static int is_slow(struct eventset *set)
{
    const struct group_ops *ops = set->group->ops;
    if (ops->pause != NULL && ops->overflows_written(set->group) != set->overflow->written)
        set->overflow->slow = 1;
    return set->overflow->slow;
}

enum { MOST_STUCK = 100, NEAR = 256 /* bytes: of the same loop, perhaps */ };
/* Limits for thresholds at which a program, if it gets on at all, does so by an instruction or two in a
 * thousand. */
enum { TINY = 16, MOST_CRAWLS = 1000 };

static int is_given_up(const struct overflow *overflow)
{
    return (overflow->stuck >= MOST_STUCK && overflow->elsewhere >= MOST_STUCK / 4) ||
           overflow->crawls >= MOST_CRAWLS;
}

/* Lowers a count of signals without progress. A program that gets on at one signal in five, or fewer, does
 * not get far. */
static int less(int n)
{
    return n > 4 ? n - 4 : 0;
}

/* With a threshold smaller than what it takes to handle a signal, the next overflow comes before the
 * program gets on: the signal interrupts it where the last one did, with the same registers, and the
 * samples are of instructions elsewhere, those of the handling. Counting ends then, and the stop says
 * so. */
static void note_stuck(struct overflow *overflow, uint64_t address, const void *context)
{
    uint64_t at = context_address(context);
    uint64_t registers = context_registers(context);
    int in_kernel = address >> 63 != 0;
    if (is_given_up(overflow))
        return;
    overflow->crawls += overflow->tiny;
    if (at == 0 || in_kernel)
        overflow->stuck = overflow->elsewhere = 0;
    else if (at != overflow->last_at || registers != overflow->last_registers) {
        overflow->stuck = less(overflow->stuck);
        overflow->elsewhere = less(overflow->elsewhere);
    }
    overflow->stuck++;
    overflow->elsewhere += address - at + NEAR > 2 * NEAR;
    overflow->last_at = at;
    overflow->last_registers = registers;
}

/* Takes and delivers the overflows that wait. Where counting cannot be paused, these are no more at one
 * signal than can wait. */
static void take_overflows(struct eventset *set, void *context)
{
    const struct group_ops *ops = set->group->ops;
    int counter, paused = 0;
    uint64_t address;
    for (int i = 0; (i < MAX_COUNTERS || ops->pause != NULL) && eventset_runs(set); i++) {
        if (!paused && is_slow(set)) {
            ops->pause(set->group, true);
            paused = 1;
        }
        unsigned starts = set->overflow->starts;
        if (!take_one(set, &counter, &address))
            break;
        if (i == 0 && set->overflow->small && ops->pause != NULL)
            note_stuck(set->overflow, address, context);
        deliver(set, starts, counter, address != 0 ? address : context_address(context), context);
    }
    if (!eventset_runs(set))
        return;
    if (is_given_up(set->overflow))
        ops->pause(set->group, true);
    else if (paused && !set->overflow->stopping)
        ops->pause(set->group, false);
}

/* Handles a signal of the library. For handlers that are left by a jump see thread_in_handler. */
static void handle(struct papi_thread *thread, const siginfo_t *info, void *context)
{
    struct eventset *set;
    thread->handling = true;
    for (set = thread->sets; set != NULL; set = set->next)
        if (set->closed) /* what went on meanwhile may have made it count again */
            eventset_silence(set);
        else if (is_told(set) && set->group->ops->pause != NULL)
            set->overflow->written = set->group->ops->overflows_written(set->group);
    for (set = thread->sets; set != NULL; set = set->next)
        if (is_told(set))
            take_overflows(set, context);
        else if (info->si_code == SI_TIMER && eventset_runs(set) && set->overflow && set->overflow->software)
            software_overflow_look(set, context);
    samplers_deliver(thread, context);
    thread->handling = false;
}

/* QEMU 7.2's user mode calls signal handlers with a stack that is 8 bytes off. */
#if defined(__x86_64__)
#define ALIGN_STACK __attribute__((force_align_arg_pointer))
#else
#define ALIGN_STACK
#endif

static ALIGN_STACK void overflow_signal(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    struct papi_thread *thread = papi_thread_pointer;
    (void)number;
    if (thread != NULL)
        handle(thread, info, context);
    errno = saved;
}

/* ---- start and stop */

static bool has_tiny_threshold(const struct eventset *set)
{
    for (int i = 0; i < set->n_events; i++)
        if (set->event[i].threshold > 0 && set->event[i].threshold <= TINY)
            return true;
    return false;
}

/* Starts the counters of a set that is marked as running before, since the first overflow may come before the
 * start returns. Signals are blocked: a handler that stops the set comes before or after, or the counters
 * would go on. */
static int switch_on(struct eventset *set, struct reason *why)
{
    sigset_t before;
    signals_block(&before);
    set->state = PAPI_RUNNING;
    int code = set->group->ops->start(set->group, why);
    if (code != PAPI_OK)
        set->state = PAPI_STOPPED;
    else if (set->overflow->software)
        software_overflow_arm(set);
    signals_restore(&before);
    return code;
}

int overflow_start(struct eventset *set, struct reason *why)
{
    const struct group_ops *ops = set->group->ops;
    struct overflow *overflow = set->overflow;
    int code = PAPI_OK;
    overflow->slow = overflow->stopping = overflow->inside = overflow->taking = 0;
    overflow->starts++;
    overflow->stuck = overflow->elsewhere = overflow->crawls = 0;
    overflow->tiny = has_tiny_threshold(set);
    overflow->small = !overflow->software && ops->may_not_end != NULL && ops->may_not_end(set->group);
    if (!overflow->software && ops->arm_overflows != NULL)
        code = ops->arm_overflows(set->group, why);
    if (code != PAPI_OK)
        return code;
    if (overflow->software)
        software_overflow_begin(set);
    return switch_on(set, why);
}

/* Takes the overflows for which no signal came any more, because the program blocks it or stops from the
 * handler, and returns how many a handler has missed. A histogram takes its samples; a handler is not called
 * out of turn. */
static int left_over(struct eventset *set)
{
    int counter, calls = 0;
    uint64_t address;
    while (set->group->ops->take_overflow(set->group, &counter, &address))
        calls += sampled(set, counter, address) != NULL;
    return calls;
}

static int check_told(struct eventset *set, struct reason *why)
{
    const struct group_ops *ops = set->group->ops;
    if (ops->check_overflows == NULL)
        return PAPI_OK;
    int calls = left_over(set);
    int code = ops->check_overflows(set->group, why);
    if (is_given_up(set->overflow))
        return reason_set(
            why, PAPI_ECLOST,
            "counting ended after a while: the threshold is so small that the program no longer "
            "got on; use a larger one");
    /* A handler that stops the set knows what it leaves. */
    if (code != PAPI_OK || set->overflow->inside)
        return code;
    if (thread_in_handler(set->owner) && calls + set->overflow->taking > 0)
        return reason_set(why, PAPI_ECLOST,
                          "the signal handler that stops the event set has interrupted the delivery of "
                          "overflows: %d may be missing",
                          calls + set->overflow->taking);
    if (calls > 0)
        code = reason_set(why, PAPI_ECLOST,
                          "the handler was not called for %d overflows: the program blocks signal %d", calls,
                          (int)OVERFLOW_SIGNAL);
    return code;
}

int overflow_stop(struct eventset *set, struct reason *why)
{
    if (set->overflow->software)
        software_overflow_disarm(set);
    set->overflow->stopping = 1;
    int code = set->group->ops->stop(set->group, why);
    set->state = PAPI_STOPPED;
    return code == PAPI_OK && !set->overflow->software ? check_told(set, why) : code;
}

/* ---- the handler */

int overflow_install(struct reason *why)
{
    struct sigaction action = {.sa_sigaction = overflow_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaction(OVERFLOW_SIGNAL, &action, NULL) != 0)
        return reason_set(why, PAPI_ESYS, "the handler for signal %d cannot be installed",
                          (int)OVERFLOW_SIGNAL);
    return PAPI_OK;
}

/* ---- what is set */

static int check(const struct eventset *set, int position, int threshold, int flags, struct reason *why)
{
    const int known = PAPI_OVERFLOW_FORCE_SW | PAPI_OVERFLOW_HARDWARE;
    int code = eventset_changeable(set, why);
    if (code != PAPI_OK)
        return code;
    if (position < 0)
        return reason_set(why, PAPI_EINVAL, "the event is not in event set %d: add it first", set->handle);
    if (threshold < 0)
        return reason_set(why, PAPI_EINVAL, "a threshold of %d", threshold);
    if ((flags & ~known) != 0)
        return reason_set(why, PAPI_EINVAL, "0x%x has flags that are none of overflow", (unsigned)flags);
    if ((flags & known) == known)
        return reason_set(why, PAPI_EINVAL, "overflow is by hardware or by software, not both");
    return PAPI_OK;
}

static int check_options(const struct eventset *set, const struct set_event *event, int software,
                         struct reason *why)
{
    const struct component *component = components[set->component];
    if (set->overflow != NULL && set->overflow->software != software)
        return reason_set(why, PAPI_ECNFLCT,
                          "event set %d has overflows by %s: all of a set have the same form (see "
                          "PAPI_OVERFLOW_FORCE_SW)",
                          set->handle, software ? "hardware" : "software");
    if (eventset_is_real(set, event))
        return reason_set(why, PAPI_ENOSUPP, "the event's values are real numbers, which have no overflows");
    if (software)
        return PAPI_OK;
    if (!component->overflows && !component->overflows_on_demand)
        return reason_set(
            why, PAPI_ENOSUPP,
            "component %s delivers no overflows; PAPI_OVERFLOW_FORCE_SW looks at the value by a "
            "timer",
            component->name);
    if (!event_is_single(event))
        return reason_set(why, PAPI_EINVAL,
                          "the event is derived from several counters, and no single one overflows for it; "
                          "PAPI_OVERFLOW_FORCE_SW looks at its value by a timer");
    return eventset_check_options(&set->options, true, why);
}

/* Refuses a second event that overflows on the same counter, which has one period. */
static int check_counter(struct eventset *set, const struct set_event *event, struct reason *why)
{
    if (set->overflow == NULL || set->overflow->software)
        return PAPI_OK;
    const struct set_event *other = overflowing(set, event->counter[0]);
    if (other != NULL && other != event)
        return reason_set(why, PAPI_ECNFLCT,
                          "event %d of event set %d is counted by the same counter and overflows already",
                          (int)(other - set->event), set->handle);
    return PAPI_OK;
}

static int make_room(struct eventset *set, int software, struct reason *why)
{
    if (set->overflow != NULL)
        return PAPI_OK;
    struct overflow *overflow = calloc(1, sizeof *overflow);
    if (overflow == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    overflow->software = software;
    set->overflow = overflow;
    atomic_fetch_add(&papi_library.overflows, 1);
    return PAPI_OK;
}

static void forget(struct set_event *event)
{
    event->threshold = 0;
    profile_free(event->profile);
    event->profile = NULL;
}

/* Frees the set's overflows; the signal's handler must not find what is gone. */
static void drop(struct eventset *set)
{
    struct overflow *overflow = set->overflow;
    software_overflow_close(set);
    set->overflow = NULL;
    atomic_fetch_sub(&papi_library.overflows, 1);
    atomic_signal_fence(memory_order_seq_cst);
    free(overflow);
}

static void drop_if_unused(struct eventset *set)
{
    if (overflow_state(set) == 0)
        drop(set);
}

int overflow_forget(struct eventset *set, int position, struct reason *why)
{
    struct set_event *event = &set->event[position];
    if (event->threshold == 0)
        return PAPI_OK;
    int code = set->overflow->software ? PAPI_OK : eventset_set_period(set, event->counter[0], 0, why);
    if (code != PAPI_OK)
        return code;
    forget(event);
    drop_if_unused(set);
    return PAPI_OK;
}

static int make_overflow(struct eventset *set, struct set_event *event, int threshold,
                         PAPI_overflow_handler_t handler, struct profile *profile, struct reason *why)
{
    int code = overflow_install(why);
    if (code == PAPI_OK && set->overflow->software)
        code = software_overflow_open(set, why);
    else if (code == PAPI_OK)
        code = eventset_set_period(set, event->counter[0], (uint64_t)threshold, why);
    if (code != PAPI_OK) {
        drop_if_unused(set);
        return code;
    }
    forget(event);
    event->profile = profile;
    event->threshold = threshold;
    if (profile == NULL)
        set->overflow->handler = handler;
    return PAPI_OK;
}

int overflow_check(const struct eventset *set, int event, int threshold, int flags, struct reason *why)
{
    return check(set, eventset_position(set, event), threshold, flags, why);
}

int overflow_set(struct eventset *set, int event, int threshold, int flags, PAPI_overflow_handler_t handler,
                 struct profile *profile, struct reason *why)
{
    int position = eventset_position(set, event), code = check(set, position, threshold, flags, why);
    if (code != PAPI_OK)
        return code;
    if (threshold == 0)
        return overflow_forget(set, position, why);
    struct set_event *place = &set->event[position];
    /* A timer looks for overflows of a component that does not report them. */
    bool told = components[set->component]->overflows || (flags & PAPI_OVERFLOW_HARDWARE) != 0;
    int software = (flags & PAPI_OVERFLOW_FORCE_SW) != 0 || !told;
    parking_end(set->owner);
    code = check_options(set, place, software, why) ?: check_counter(set, place, why);
    code = code ?: make_room(set, software, why);
    return code ?: make_overflow(set, place, threshold, handler, profile, why);
}

/* Ends all overflows. The set may still run: a thread that ends leaves it so. */
void overflow_forget_all(struct eventset *set)
{
    if (set->overflow == NULL)
        return;
    if (set->state == PAPI_RUNNING && set->group->ops->pause != NULL)
        set->group->ops->pause(set->group, true);
    set->state = PAPI_STOPPED;
    atomic_signal_fence(memory_order_seq_cst);
    for (int i = 0; i < set->n_events; i++)
        forget(&set->event[i]);
    drop(set);
}

/* ---- questions */

int overflow_state(const struct eventset *set)
{
    int state = 0;
    for (int i = 0; set->overflow != NULL && i < set->n_events; i++)
        if (set->event[i].threshold != 0)
            state |= set->event[i].profile != NULL ? PAPI_PROFILING : PAPI_OVERFLOWING;
    return state;
}

#ifndef sigev_notify_thread_id /* glibc before 2.35 */
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* ---- timer */

int software_overflow_open(struct eventset *set, struct reason *why)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = OVERFLOW_SIGNAL};
    struct overflow *overflow = set->overflow;
    if (overflow->has_timer)
        return PAPI_OK;
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &overflow->timer) != 0)
        return reason_set(why, errno == EAGAIN || errno == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS,
                          "no timer for overflows by software: %s%s", strerror(errno),
                          errno == EAGAIN ? " (the limit of pending signals, ulimit -i, counts timers too)"
                                          : "");
    overflow->has_timer = 1;
    return PAPI_OK;
}

/* Deletes the timer, but not in the child of a fork, which has no timers: the number may be one of its
 * own. */
void software_overflow_close(struct eventset *set)
{
    if (set->overflow->has_timer && !set->lost)
        timer_delete(set->overflow->timer);
    set->overflow->has_timer = 0;
}

/* Sets the timer for one signal. Each look sets it anew: a handler slower than the interval leaves the
 * program its part. */
static void set_timer(const struct overflow *overflow, long nsec)
{
    const struct itimerspec when = {.it_value = {0, nsec}};
    timer_settime(overflow->timer, 0, &when, NULL);
}

void software_overflow_begin(struct eventset *set)
{
    set->overflow->start = set->group->stopped;
    for (int i = 0; i < set->n_events; i++)
        set->event[i].next = set->event[i].threshold;
}

void software_overflow_arm(const struct eventset *set)
{
    set_timer(set->overflow, SOFTWARE_OVERFLOW_NSEC);
}

void software_overflow_disarm(const struct eventset *set)
{
    set_timer(set->overflow, 0);
}

/* ---- look */

/* Number of thresholds that an event has passed since the last look. */
static long long passed(struct set_event *event, long long value)
{
    if (event->threshold == 0 || value < event->next)
        return 0;
    long long n = (value - event->next) / event->threshold + 1;
    event->next += n * event->threshold;
    return n;
}

static void compare(struct eventset *set, const long long *values, void *context)
{
    uint64_t address = context_address(context);
    unsigned long long vector = 0;
    for (int i = 0; i < set->n_events; i++) {
        struct set_event *event = &set->event[i];
        long long n = passed(event, values[i]);
        if (n > 0 && event->profile != NULL)
            profile_sample(event->profile, address, (uint64_t)n);
        else if (n > 0)
            vector |= 1ULL << i;
    }
    if (vector != 0)
        overflow_call(set, address, vector, context);
}

/* Compares the counts since the start: what PAPI_reset, PAPI_accum and PAPI_write do to the values is left
 * out. */
void software_overflow_look(struct eventset *set, void *context)
{
    long long values[MAX_EVENTS];
    if (eventset_counted_since(set, set->overflow->start, values) == PAPI_OK)
        compare(set, values, context);
    if (eventset_runs(set))
        set_timer(set->overflow, SOFTWARE_OVERFLOW_NSEC);
}

struct profile {
    int flags;
    unsigned bucket_size; /* bytes */
    uint64_t random;      /* the state of a generator: rand() is for no signal handler */
    int n;
    PAPI_sprofil_t region[];
};

enum { ONE_BUCKET = 2, LEAST_SCALE = 2, ADDRESS_A_BUCKET = 0x20000 };

/* ---- create */

/* Bytes of a bucket; 0: there is no such size. */
static unsigned bucket_size(int flags)
{
    int kind = flags & PAPI_PROFIL_BUCKETS;
    if (kind == 0 || kind == PAPI_PROFIL_BUCKET_16)
        return 2;
    return kind == PAPI_PROFIL_BUCKET_32 ? 4 : kind == PAPI_PROFIL_BUCKET_64 ? 8 : 0;
}

static int check_region(const PAPI_sprofil_t *region, unsigned size, struct reason *why)
{
    if (region->pr_base == NULL)
        return reason_set(why, PAPI_EINVAL, "a region's buffer is NULL");
    if ((uintptr_t)region->pr_base % size != 0)
        return reason_set(why, PAPI_EINVAL, "the buffer %p is not aligned to its buckets of %u bytes",
                          region->pr_base, size);
    /* Codes give the size of the one bucket for all other addresses as 1, whatever a bucket's is. */
    if (region->pr_size < (region->pr_scale == ONE_BUCKET ? 1 : size))
        return reason_set(why, PAPI_EINVAL, "a buffer of %u bytes holds no bucket of %u", region->pr_size,
                          size);
    if (region->pr_scale < LEAST_SCALE || region->pr_scale > ADDRESS_A_BUCKET)
        return reason_set(why, PAPI_EINVAL,
                          "a scale of 0x%x: 0x2 (one bucket) to 0x20000 (one for each address)",
                          region->pr_scale);
    return PAPI_OK;
}

static int check_regions(const PAPI_sprofil_t *regions, int n, int flags, struct reason *why)
{
    const int known = PAPI_PROFIL_RANDOM | PAPI_PROFIL_WEIGHTED | PAPI_PROFIL_COMPRESS | PAPI_PROFIL_BUCKETS;
    int code = PAPI_OK;
    if ((flags & ~known) != 0)
        return reason_set(why, PAPI_EINVAL, "the flags 0x%x of profiling are not available",
                          (unsigned)(flags & ~known));
    if (bucket_size(flags) == 0)
        return reason_set(why, PAPI_EINVAL, "buckets have one size");
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = check_region(&regions[i], bucket_size(flags), why);
    return code;
}

struct profile *profile_create(const PAPI_sprofil_t *regions, int n, int flags, int *code, struct reason *why)
{
    *code = check_regions(regions, n, flags, why);
    if (*code != PAPI_OK)
        return NULL;
    struct profile *profile = malloc(sizeof *profile + (size_t)n * sizeof *regions);
    if (profile == NULL) {
        *code = reason_set(why, PAPI_ENOMEM, "out of memory");
        return NULL;
    }
    *profile = (struct profile){flags, bucket_size(flags), 0x9e3779b97f4a7c15u, n};
    memcpy(profile->region, regions, (size_t)n * sizeof *regions);
    return profile;
}

void profile_free(struct profile *profile)
{
    free(profile);
}

/* ---- samples */

/* xorshift64: the same samples in every run. */
static uint64_t next_random(struct profile *profile)
{
    profile->random ^= profile->random << 13;
    profile->random ^= profile->random >> 7;
    profile->random ^= profile->random << 17;
    return profile->random;
}

/* true for one of 2^bits */
static int one_of(struct profile *profile, unsigned bits)
{
    return bits == 0 || next_random(profile) >> 11 << (64 - bits) == 0;
}

/* A compressed bucket counts one of 2^k samples, where k grows by one each time the bucket has filled
 * a sixteenth of its range: 2^16 sixteenths last long. A full bucket stays full. */
static uint64_t added(struct profile *profile, uint64_t count, uint64_t most, uint64_t weight)
{
    if ((profile->flags & PAPI_PROFIL_COMPRESS) != 0 && !one_of(profile, (unsigned)(count / (most / 16 + 1))))
        return count;
    return most - count < weight ? most : count + weight;
}

static void count(struct profile *profile, void *base, uint64_t bucket, uint64_t weight)
{
    uint16_t *small = base;
    uint32_t *middle = base;
    uint64_t *large = base;
    if (profile->bucket_size == 2)
        small[bucket] = (uint16_t)added(profile, small[bucket], UINT16_MAX, weight);
    else if (profile->bucket_size == 4)
        middle[bucket] = (uint32_t)added(profile, middle[bucket], UINT32_MAX, weight);
    else
        large[bucket] = added(profile, large[bucket], UINT64_MAX, weight);
}

/* The bucket of an address in a region; false: outside. */
static int find_bucket(const struct profile *profile, const PAPI_sprofil_t *region, uint64_t address,
                       uint64_t *bucket)
{
    uint64_t distance = address - (uint64_t)(uintptr_t)region->pr_off;
    if (address < (uint64_t)(uintptr_t)region->pr_off)
        return 0;
    *bucket = 0;
    if (region->pr_scale == ONE_BUCKET)
        return 1;
    if (distance >> 46 != 0) /* the product must fit; no buffer reaches so far but at the smallest scales */
        return 0;
    *bucket = distance * region->pr_scale / 65536 / 2;
    return *bucket < region->pr_size / profile->bucket_size;
}

void profile_sample(struct profile *profile, uint64_t address, uint64_t weight)
{
    uint64_t bucket;
    if ((profile->flags & PAPI_PROFIL_RANDOM) != 0 && one_of(profile, 2))
        return;
    if ((profile->flags & PAPI_PROFIL_WEIGHTED) == 0)
        weight = 1;
    for (int i = 0; i < profile->n; i++)
        if (find_bucket(profile, &profile->region[i], address, &bucket)) {
            count(profile, profile->region[i].pr_base, bucket, weight);
            return;
        }
}
