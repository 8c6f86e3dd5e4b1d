/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/function_group.h"
#include "components/free_running.h"
#include "papi.h"

struct asked_group {
    struct moving_group moving;
    const struct asked_source *source;
};

static struct asked_group *asked_group(struct counter_group *group)
{
    return (struct asked_group *)group;
}

static int read_all(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    const struct asked_group *group = asked_group(base);
    for (int i = 0; i < base->n_counters; i++) {
        const struct component_event *event = group->moving.event[i];
        uint64_t now, origin = group->moving.hidden[i] + from[i]; /* a handler's start and stop move them */
        int code = group->source->ask(event, &now, why);
        if (code != PAPI_OK)
            return code;
        value[i] = event->level ? now : now - origin;
    }
    return PAPI_OK;
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *encoding,
               uint64_t period, struct reason *why)
{
    const struct component_event *event = encoding->event;
    uint64_t now;
    (void)root;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP, "%s is a number that is asked for: it delivers no overflows",
                          event->name);
    int code = asked_group(base)->source->ask(event, &now, why);
    if (code == PAPI_OK)
        moving_hold(base, event, now);
    return code;
}

static int write_number(struct counter_group *base, const char *root, int index, long long value,
                        struct reason *why)
{
    const struct asked_group *group = asked_group(base);
    const struct component_event *event = group->moving.event[index];
    (void)root;
    if (!event->writable || group->source->set == NULL)
        return reason_set(why, PAPI_ECMP, "%s shows what is the case now: it cannot be set", event->name);
    return group->source->set(event, value, why);
}

static const struct group_ops asked_groups = {
    .add = add,
    .start = moving_start,
    .stop = moving_stop,
    .destroy = moving_destroy,
    .abandon = moving_abandon,
    .write = write_number,
    .keep = moving_keep,
};

struct counter_group *asked_create(const struct group_form *form, const struct asked_source *source)
{
    struct counter_group *group = moving_create(sizeof(struct asked_group), form, &asked_groups, read_all);
    if (group != NULL)
        asked_group(group)->source = source;
    return group;
}

int asked_try(const struct asked_source *source, const struct event_encoding *event, struct reason *why)
{
    uint64_t now;
    return source->ask(event->event, &now, why);
}
