/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/overflow.h"
#include "hardware/signal_context.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id /* glibc before 2.35 */
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* ------------------------------------------------------------------------- timer */

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

/* The child of a fork has no timers; the number may be one of its own. */
void software_overflow_close(struct eventset *set)
{
    if (set->overflow->has_timer && !set->lost)
        timer_delete(set->overflow->timer);
    set->overflow->has_timer = 0;
}

/* Once only, and anew after each look: a handler slower than the interval leaves the program its part. */
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

/* -------------------------------------------------------------------------- look */

/* How many thresholds an event has passed since the last look. */
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

/* The counts since the start: what PAPI_reset, PAPI_accum and PAPI_write do to the values is left out. */
void software_overflow_look(struct eventset *set, void *context)
{
    long long values[MAX_EVENTS];
    if (eventset_counted_since(set, set->overflow->start, values) == PAPI_OK)
        compare(set, values, context);
    if (eventset_runs(set))
        set_timer(set->overflow, SOFTWARE_OVERFLOW_NSEC);
}
