/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/eventset.h"

#include <string.h>

/* Where the reason of a failure goes: to the thread that calls, which is the owner. */
static inline struct reason *why_of(const struct eventset *set)
{
    return &set->owner->why;
}

static __attribute__((cold)) int not_countable(const struct eventset *set)
{
    if (set->lost)
        return reason_set(why_of(set), PAPI_ECLOST,
                          "event set %d was made before a fork: its counters belong to the parent process; make a "
                          "new one here",
                          set->handle);
    return reason_set(why_of(set), PAPI_EINVAL, "event set %d has no events", set->handle);
}

/* What the counters show now. */
static inline int show(struct eventset *set, struct reading *reading)
{
    if (__builtin_expect(set->state == PAPI_RUNNING, 1))
        return set->group->component->read(set->group, reading, why_of(set));
    if (set->lost || set->n_events == 0)
        return not_countable(set);
    memcpy(reading->value, set->raw, (size_t)set->group->n_counters * sizeof *set->raw);
    return PAPI_OK;
}

static long long derived(const struct eventset *set, const struct set_event *event, const uint64_t *raw)
{
    long long operand[MAX_OPERANDS];
    for (int i = 0; i < event->n_counters; i++) {
        int c = event->counter[i];
        operand[i] = (long long)(raw[c] - set->base[c]);
    }
    return derived_value(event->derivation, event->formula, event->n_counters, operand);
}

static __attribute__((noinline)) void give_derived(const struct eventset *set, const uint64_t *raw,
                                                   long long *values)
{
    for (int i = 0; i < set->n_events; i++)
        values[i] = derived(set, &set->event[i], raw);
}

static inline void give_values(const struct eventset *set, const uint64_t *raw, long long *values)
{
    if (__builtin_expect(!set->plain, 0)) {
        give_derived(set, raw, values);
        return;
    }
    for (int i = 0; i < set->n_events; i++)
        values[i] = (long long)(raw[i] - set->base[i]);
}

static void zero(struct eventset *set, const uint64_t *raw)
{
    for (int i = 0; i < set->group->n_counters; i++)
        set->base[i] = raw[i];
}

int eventset_start(struct eventset *set)
{
    if (set->state == PAPI_RUNNING)
        return reason_set(why_of(set), PAPI_EISRUN, "event set %d is running", set->handle);
    if (set->lost || set->n_events == 0)
        return not_countable(set);
    zero(set, set->raw);
    int code = set->group->component->start(set->group, why_of(set));
    if (code == PAPI_OK)
        set->state = PAPI_RUNNING;
    return code;
}

int eventset_stop(struct eventset *set, long long *values)
{
    if (set->lost)
        return not_countable(set);
    if (set->state != PAPI_RUNNING)
        return reason_set(why_of(set), PAPI_ENOTRUN, "event set %d is not running", set->handle);
    set->state = PAPI_STOPPED;
    int code = set->group->component->stop(set->group, set->raw, why_of(set));
    if (code == PAPI_OK && values != NULL)
        give_values(set, set->raw, values);
    return code;
}

int eventset_read(struct eventset *set, long long *values)
{
    struct reading now;
    int code = show(set, &now);
    if (__builtin_expect(code == PAPI_OK, 1))
        give_values(set, now.value, values);
    return code;
}

int eventset_accum(struct eventset *set, long long *values)
{
    struct reading now;
    int code = show(set, &now);
    if (code != PAPI_OK)
        return code;
    if (set->plain)
        for (int i = 0; i < set->n_events; i++)
            values[i] = (long long)((uint64_t)values[i] + now.value[i] - set->base[i]);
    else
        for (int i = 0; i < set->n_events; i++)
            values[i] += derived(set, &set->event[i], now.value);
    zero(set, now.value);
    return PAPI_OK;
}

int eventset_reset(struct eventset *set)
{
    struct reading now;
    int code = show(set, &now);
    if (code == PAPI_OK)
        zero(set, now.value);
    return code;
}

int eventset_write(struct eventset *set, const long long *values)
{
    struct reading now;
    for (int i = 0; i < set->n_events; i++)
        if (set->event[i].n_counters != 1 || set->event[i].derivation == DERIVED_POSTFIX)
            return reason_set(why_of(set), PAPI_ECMP, "event %d of the set is derived: no single counter to set", i);
    int code = show(set, &now);
    if (code != PAPI_OK)
        return code;
    for (int i = 0; i < set->n_events; i++) {
        int c = set->event[i].counter[0];
        set->base[c] = now.value[c] - (uint64_t)values[i];
    }
    return PAPI_OK;
}
