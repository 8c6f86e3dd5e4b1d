/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/asked.h"
#include "papi.h"

#include <stdlib.h>

struct asked_counter {
    const struct component_event *event;
    uint64_t hidden; /* what the number grew by while the group was stopped */
};

struct asked_group {
    struct counter_group base;
    const struct asked_source *source;
    int n_held; /* counters, also where a fork has made the group another process's */
    struct asked_counter counter[MAX_COUNTERS];
    uint64_t reading[2][MAX_COUNTERS]; /* when the group was last stopped, and the time before */
};

static struct asked_group *asked_group(struct counter_group *group)
{
    return (struct asked_group *)group;
}

static int read_all(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    const struct asked_group *group = asked_group(base);
    for (int i = 0; i < base->n_counters; i++) {
        const struct asked_counter *counter = &group->counter[i];
        uint64_t now;
        int code = group->source->ask(counter->event, &now, why);
        if (code != PAPI_OK)
            return code;
        value[i] = counter->event->level ? now : now - counter->hidden - from[i];
    }
    return PAPI_OK;
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *encoding,
               uint64_t period, struct reason *why)
{
    struct asked_group *group = asked_group(base);
    const struct component_event *event = encoding->event;
    int n = base->n_counters;
    uint64_t now;
    (void)root;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP, "%s is a number that is asked for: it delivers no overflows",
                          event->name);
    int code = group->source->ask(event, &now, why);
    if (code != PAPI_OK)
        return code;
    group->counter[n] = (struct asked_counter){.event = event_hold(event)};
    group->n_held = n + 1;
    group->reading[0][n] = group->reading[1][n] = event->level ? now : 0;
    base->levels |= (uint64_t)event->level << n;
    base->n_counters++;
    return PAPI_OK;
}

static int start(struct counter_group *base, struct reason *why)
{
    struct asked_group *group = asked_group(base);
    uint64_t now[MAX_COUNTERS];
    for (int i = 0; i < base->n_counters; i++)
        group->counter[i].hidden = 0;
    int code = read_all(base, base->stopped, now, why);
    for (int i = 0; i < base->n_counters && code == PAPI_OK; i++)
        group->counter[i].hidden = now[i];
    return code;
}

static int stop(struct counter_group *base, struct reason *why)
{
    static const uint64_t from_zero[MAX_COUNTERS];
    struct asked_group *group = asked_group(base);
    uint64_t *spare = group->reading[base->stopped == group->reading[0]];
    int code = read_all(base, from_zero, spare, why);
    if (code == PAPI_OK)
        base->stopped = spare;
    return code;
}

static int write_number(struct counter_group *base, const char *root, int index, long long value,
                        struct reason *why)
{
    const struct asked_group *group = asked_group(base);
    const struct component_event *event = group->counter[index].event;
    (void)root;
    if (!event->writable || group->source->set == NULL)
        return reason_set(why, PAPI_ECMP, "%s shows what is the case now: it cannot be set", event->name);
    return group->source->set(event, value, why);
}

static void silence(const struct counter_group *base)
{
    (void)base; /* nothing is switched on */
}

static void abandon(struct counter_group *base)
{
    base->n_counters = 0;
}

static void destroy(struct counter_group *base)
{
    for (int i = 0; base != NULL && i < asked_group(base)->n_held; i++)
        event_release(asked_group(base)->counter[i].event);
    free(base);
}

static const struct group_ops asked_groups = {
    .add = add,
    .start = start,
    .stop = stop,
    .silence = silence,
    .destroy = destroy,
    .abandon = abandon,
    .write = write_number,
};

struct counter_group *asked_create(const struct group_form *form, const struct asked_source *source)
{
    struct asked_group *group = calloc(1, sizeof *group);
    if (group == NULL)
        return NULL;
    group->source = source;
    group->base.read = read_all;
    group->base.accum = accum_takes_a_read;
    group->base.ops = &asked_groups;
    group->base.stopped = group->reading[0];
    group->base.form = *form;
    return &group->base;
}

int asked_try(const struct asked_source *source, const struct event_encoding *event, struct reason *why)
{
    uint64_t now;
    return source->ask(event->event, &now, why);
}
