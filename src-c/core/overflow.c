/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/overflow.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

/* ------------------------------------------------------------------- the signal */

/* The event that a counter's overflow belongs to: its position, or -1. */
static int position_of_counter(const struct eventset *set, int counter)
{
    for (int i = 0; i < set->n_events; i++)
        if (set->event[i].n_counters == 1 && set->event[i].counter[0] == counter)
            return i;
    return -1;
}

static const struct overflow_event *event_at(const struct eventset *set, int position)
{
    for (int i = 0; position >= 0 && i < MAX_EVENTS; i++)
        if (set->overflow->event[i].threshold != 0 && set->overflow->event[i].code == set->event[position].code)
            return &set->overflow->event[i];
    return NULL;
}

static void deliver(struct eventset *set, int counter, uint64_t address, void *context)
{
    int position = position_of_counter(set, counter);
    const struct overflow_event *event = event_at(set, position);
    if (event == NULL)
        return;
    if (event->profile != NULL)
        profile_sample(event->profile, address, 1);
    else
        set->overflow->handler(set->handle, (void *)(uintptr_t)address, (long long)(1ULL << position), context);
}

/* No more at one signal than wait at most: the handler itself may make the events overflow. */
static void take_overflows(struct eventset *set, void *context)
{
    const struct component *component = set->group->component;
    int counter;
    uint64_t address;
    for (int i = 0; i < MAX_COUNTERS && set->state == PAPI_RUNNING; i++) {
        if (!component->take_overflow(set->group, &counter, &address))
            return;
        deliver(set, counter, address, context);
    }
}

static void overflow_signal(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    struct papi_thread *thread = papi_thread_pointer;
    (void)info;
    for (struct eventset *set = thread ? thread->sets : NULL; set != NULL; set = set->next)
        if (set->state == PAPI_RUNNING && set->overflow != NULL && set->group->component->take_overflow != NULL &&
            set->group->component->overflow_signal == number)
            take_overflows(set, context);
    errno = saved;
}

/* Once for a component and for good: a signal that is still on its way must find it. */
static int install(int component, struct reason *why)
{
    struct sigaction action = {.sa_sigaction = overflow_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaction(components[component]->overflow_signal, &action, NULL) != 0)
        return reason_set(why, PAPI_ESYS, "the handler for signal %d cannot be installed",
                          components[component]->overflow_signal);
    return PAPI_OK;
}

/* ------------------------------------------------------------------ what is set */

static int find_position(const struct eventset *set, int code)
{
    for (int i = 0; i < set->n_events; i++)
        if (set->event[i].code == code)
            return i;
    return -1;
}

static struct overflow_event *place_of(struct overflow *overflow, int code)
{
    for (int i = 0; i < MAX_EVENTS; i++)
        if (overflow->event[i].threshold != 0 && overflow->event[i].code == code)
            return &overflow->event[i];
    for (int i = 0; i < MAX_EVENTS; i++)
        if (overflow->event[i].threshold == 0)
            return &overflow->event[i];
    return NULL; /* a set has no more events than places */
}

static int check(const struct eventset *set, int position, int threshold, int flags, struct reason *why)
{
    if (set->state == PAPI_RUNNING)
        return reason_set(why, PAPI_EISRUN, "event set %d is running; stop it first", set->handle);
    if (set->lost)
        return reason_set(why, PAPI_ECLOST, "event set %d was made before a fork", set->handle);
    if (position < 0)
        return reason_set(why, PAPI_EINVAL, "the event is not in event set %d: add it first", set->handle);
    if (threshold < 0)
        return reason_set(why, PAPI_EINVAL, "a threshold of %d", threshold);
    if (flags & ~(PAPI_OVERFLOW_FORCE_SW | PAPI_OVERFLOW_HARDWARE))
        return reason_set(why, PAPI_EINVAL, "0x%x has flags that are none of overflow", (unsigned)flags);
    return PAPI_OK;
}

static int check_component(const struct eventset *set, int position, int flags, struct reason *why)
{
    const struct component *component = components[set->component];
    if ((flags & PAPI_OVERFLOW_FORCE_SW) != 0)
        return reason_set(why, PAPI_ENOSUPP, "overflow by software (PAPI_OVERFLOW_FORCE_SW) is not available");
    if (component->set_overflow == NULL)
        return reason_set(why, PAPI_ENOSUPP, "component %s delivers no overflows", component->name);
    if (set->event[position].n_counters != 1 || set->event[position].derivation == DERIVED_POSTFIX)
        return reason_set(why, PAPI_EINVAL,
                          "the event is derived from several counters, and no single one overflows for it");
    return PAPI_OK;
}

static int make_room(struct eventset *set, struct reason *why)
{
    if (set->overflow == NULL)
        set->overflow = calloc(1, sizeof *set->overflow);
    return set->overflow != NULL ? PAPI_OK : reason_set(why, PAPI_ENOMEM, "out of memory");
}

static void forget(struct overflow_event *event)
{
    event->threshold = 0;
    profile_free(event->profile);
    event->profile = NULL;
}

static void drop_if_unused(struct eventset *set)
{
    for (int i = 0; i < MAX_EVENTS; i++)
        if (set->overflow->event[i].threshold != 0)
            return;
    free(set->overflow);
    set->overflow = NULL;
}

static int switch_off(struct eventset *set, int position, struct reason *why)
{
    if (event_at(set, position) == NULL)
        return PAPI_OK;
    int code = set->group->component->set_overflow(set->group, set->event[position].counter[0], 0, why);
    forget(place_of(set->overflow, set->event[position].code));
    drop_if_unused(set);
    return code;
}

static int switch_on(struct eventset *set, int position, int threshold, PAPI_overflow_handler_t handler,
                     struct profile *profile, struct reason *why)
{
    int code = install(set->component, why);
    if (code == PAPI_OK)
        code = set->group->component->set_overflow(set->group, set->event[position].counter[0],
                                                   (uint64_t)threshold, why);
    if (code != PAPI_OK) {
        drop_if_unused(set);
        return code;
    }
    struct overflow_event *event = place_of(set->overflow, set->event[position].code);
    forget(event);
    *event = (struct overflow_event){set->event[position].code, threshold, profile};
    if (profile == NULL)
        set->overflow->handler = handler;
    return PAPI_OK;
}

int overflow_set(struct eventset *set, int code, int threshold, int flags, PAPI_overflow_handler_t handler,
                 struct profile *profile, struct reason *why)
{
    int position = find_position(set, code);
    int error = check(set, position, threshold, flags, why);
    if (error != PAPI_OK)
        return error;
    if (threshold == 0)
        return set->overflow != NULL ? switch_off(set, position, why) : PAPI_OK;
    error = check_component(set, position, flags, why);
    if (error == PAPI_OK)
        error = make_room(set, why);
    return error == PAPI_OK ? switch_on(set, position, threshold, handler, profile, why) : error;
}

void overflow_forget(struct eventset *set, int code)
{
    if (set->overflow != NULL)
        switch_off(set, find_position(set, code), NULL);
}

void overflow_forget_all(struct eventset *set)
{
    for (int i = 0; set->overflow != NULL && i < MAX_EVENTS; i++)
        forget(&set->overflow->event[i]);
    free(set->overflow);
    set->overflow = NULL;
}

/* ------------------------------------------------------------------- questions */

int overflow_state(const struct eventset *set)
{
    int state = 0;
    for (int i = 0; set->overflow != NULL && i < MAX_EVENTS; i++)
        if (set->overflow->event[i].threshold != 0)
            state |= set->overflow->event[i].profile != NULL ? PAPI_PROFILING : PAPI_OVERFLOWING;
    return state;
}

int overflow_positions(const struct eventset *set, long long vector, int *positions, int n)
{
    int found = 0;
    for (int i = 0; i < set->n_events; i++)
        if ((unsigned long long)vector >> i & 1) {
            if (found < n)
                positions[found] = i;
            found++;
        }
    return found;
}
