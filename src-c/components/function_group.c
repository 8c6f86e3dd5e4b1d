/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/function_group.h"
#include "components/free_running.h"
#include "papi.h"

struct function_group {
    struct free_running_group free_running;
    const struct function_source *source;
};

static struct function_group *function_group(struct counter_group *group)
{
    return (struct function_group *)group;
}

static int read_all(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    const struct function_group *group = function_group(base);
    for (int i = 0; i < base->n_counters; i++) {
        const struct component_event *event = group->free_running.event[i];
        uint64_t now,
            origin = group->free_running.hidden[i] + from[i]; /* a handler's start and stop move them */
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
    int code = function_group(base)->source->ask(event, &now, why);
    if (code == PAPI_OK)
        free_running_hold(base, event, now);
    return code;
}

static int write_number(struct counter_group *base, const char *root, int index, long long value,
                        struct reason *why)
{
    const struct function_group *group = function_group(base);
    const struct component_event *event = group->free_running.event[index];
    (void)root;
    if (!event->writable || group->source->set == NULL)
        return reason_set(why, PAPI_ECMP, "%s shows what is the case now: it cannot be set", event->name);
    return group->source->set(event, value, why);
}

static const struct group_ops function_groups = {
    .add = add,
    .start = free_running_start,
    .stop = free_running_stop,
    .destroy = free_running_destroy,
    .abandon = free_running_abandon,
    .write = write_number,
    .keep = free_running_keep,
};

struct counter_group *function_create(const struct group_options *options,
                                      const struct function_source *source)
{
    struct counter_group *group =
        free_running_create(sizeof(struct function_group), options, &function_groups, read_all);
    if (group != NULL)
        function_group(group)->source = source;
    return group;
}

int function_try(const struct function_source *source, const struct event_encoding *event, struct reason *why)
{
    uint64_t now;
    return source->ask(event->event, &now, why);
}
