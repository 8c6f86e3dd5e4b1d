/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/free_running.h"
#include "base/signals.h"
#include "papi.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct counter_group *
free_running_create(size_t size, const struct group_options *options, const struct group_ops *ops,
                    int (*read)(struct counter_group *, const uint64_t *, uint64_t *, struct reason *))
{
    struct free_running_group *group = calloc(1, size);
    if (group == NULL)
        return NULL;
    group->base.read = read;
    group->base.accum = accum_takes_a_read;
    group->base.ops = ops;
    group->base.stopped = group->reading[0];
    group->base.options = *options;
    return &group->base;
}

void free_running_added(struct counter_group *base, bool level, uint64_t now)
{
    struct free_running_group *group = (struct free_running_group *)base;
    int n = base->n_counters;
    group->hidden[n] = 0;
    group->reading[0][n] = group->reading[1][n] = level ? now : 0;
    base->levels |= (uint64_t)level << n;
    base->n_counters++;
}

void free_running_hold(struct counter_group *base, const struct component_event *event, uint64_t now)
{
    struct free_running_group *group = (struct free_running_group *)base;
    group->event[base->n_counters] = event_hold(event);
    group->n_held = base->n_counters + 1;
    base->reals |= (uint64_t)event->real << base->n_counters;
    free_running_added(base, event->level, now);
}

/* Starts a group. A reading that this interrupts, from a handler, goes on with what was hidden when it began;
 * if the start fails, that stays. */
int free_running_start(struct counter_group *base, struct reason *why)
{
    struct free_running_group *group = (struct free_running_group *)base;
    uint64_t now[MAX_COUNTERS], before[MAX_COUNTERS];
    size_t size = (size_t)base->n_counters * sizeof *now;
    memcpy(before, group->hidden, size);
    memset(group->hidden, 0, size);
    int code = base->read(base, base->stopped, now, why);
    memcpy(group->hidden, code == PAPI_OK ? now : before, size);
    return code;
}

int free_running_stop(struct counter_group *base, struct reason *why)
{
    static const uint64_t from_zero[MAX_COUNTERS];
    struct free_running_group *group = (struct free_running_group *)base;
    uint64_t *spare = group->reading[base->stopped == group->reading[0]];
    int code = base->read(base, from_zero, spare, why);
    if (code == PAPI_OK || code == PAPI_ECLOST) /* the counts are there, and may be too little */
        base->stopped = spare;
    return code;
}

void free_running_keep(struct counter_group *base, int counter, uint64_t value)
{
    struct free_running_group *group = (struct free_running_group *)base;
    group->reading[0][counter] = group->reading[1][counter] = value;
}

void free_running_abandon(struct counter_group *base)
{
    base->n_counters = 0;
}

void free_running_destroy(struct counter_group *base)
{
    struct free_running_group *group = (struct free_running_group *)base;
    for (int i = 0; group != NULL && i < group->n_held; i++)
        event_release(group->event[i]);
    free(group);
}

/* ---- groups of a function */

/* A counter's number at the last reading, those of handlers, too; and as if it had 64 bits. */
struct followed {
    uint64_t last, total;
};

struct function_group {
    struct free_running_group free_running;
    const struct function_source *source;
    struct followed counter[MAX_COUNTERS];
    uint64_t shrunk;   /* the bits of the counters that showed less than before, since the start */
    bool starting;     /* the next reading is the first: nothing was lost before it */
    unsigned breaches; /* at the start */
};

static struct function_group *function_group(struct counter_group *group)
{
    return (struct function_group *)group;
}

static double real_of(uint64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

/* Moves a counter's total to a number; false: it began anew. */
static bool advance(const struct function_group *group, int i, struct followed *counter, uint64_t now)
{
    const struct component_event *event = group->free_running.event[i];
    const struct function_source *source = group->source;
    uint64_t last = counter->last;
    uint32_t grown = (uint32_t)now - (uint32_t)last;
    counter->last = now;
    if (event->real) {
        double total = real_of(counter->total) + (real_of(now) - real_of(last));
        memcpy(&counter->total, &total, sizeof total);
        return real_of(now) >= real_of(last);
    }
    bool narrow = source->is_narrow != NULL && source->is_narrow(event);
    counter->total = narrow ? counter->total + grown : now;
    return now >= last || (narrow && (int32_t)grown >= 0);
}

static int lost(const struct function_group *group, const char *name, uint64_t now, uint64_t last,
                struct reason *why)
{
    return group->source->begun_anew != NULL
               ? reason_set(why, PAPI_ECLOST, "%s %s", name, group->source->begun_anew)
               : reason_set(why, PAPI_ECLOST,
                            "%s began anew: it shows %" PRIu64 " after %" PRIu64
                            ", and what it counted in between is lost; stop and start to count from here",
                            name, now, last);
}

/* Follows a counter from what it was before it was asked for, since a handler may ask, too, and gives its
 * total. */
static int follow(struct function_group *group, int i, struct followed before, uint64_t *now,
                  struct reason *why)
{
    struct followed moved = before;
    uint64_t bit = UINT64_C(1) << i, shown = *now;
    if (group->starting)
        group->counter[i] = before = moved = (struct followed){shown, shown};
    else if ((group->shrunk & bit) == 0 && advance(group, i, &moved, shown))
        group->counter[i] = before = moved;
    else
        group->shrunk |= bit;
    *now = before.total;
    return (group->shrunk & bit) == 0
               ? PAPI_OK
               : lost(group, group->free_running.event[i]->name, shown, before.last, why);
}

static int read_each(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    struct function_group *group = function_group(base);
    int worst = PAPI_OK;
    for (int i = 0; i < base->n_counters; i++) {
        const struct component_event *event = group->free_running.event[i];
        uint64_t now,
            origin = group->free_running.hidden[i] + from[i]; /* a handler's start and stop move them */
        struct followed before = group->counter[i];
        int code = group->source->ask(event, &now, why);
        if (code == PAPI_OK && !event->level && !event->real)
            code = follow(group, i, before, &now, why);
        if (code != PAPI_OK && code != PAPI_ECLOST)
            return code;
        worst = code != PAPI_OK ? code : worst;
        value[i] = event->level ? now : now - origin;
    }
    return worst;
}

/* Takes the numbers that were asked for together. */
static int follow_all(struct function_group *group, const uint64_t *from, uint64_t *now, uint64_t *value,
                      struct reason *why)
{
    const struct counter_group *base = &group->free_running.base;
    int worst = PAPI_OK;
    unsigned breaches =
        group->source->breaches != NULL ? group->source->breaches(group->free_running.event[0]) : 0;
    if (group->starting)
        group->breaches = breaches;
    else if (breaches != group->breaches)
        group->shrunk = UINT64_MAX;
    for (int i = 0; i < base->n_counters; i++) {
        bool level = group->free_running.event[i]->level;
        int code = level ? PAPI_OK : follow(group, i, group->counter[i], &now[i], why);
        worst = code != PAPI_OK ? code : worst;
        value[i] = level ? now[i]
                         : count_difference(base, i,
                                            count_difference(base, i, now[i], group->free_running.hidden[i]),
                                            from[i]);
    }
    group->starting = false;
    return worst;
}

/* Signals are held, so that no handler reads the same group in between. */
static int read_together(struct counter_group *base, const uint64_t *from, uint64_t *value,
                         struct reason *why)
{
    struct function_group *group = function_group(base);
    uint64_t now[MAX_COUNTERS];
    sigset_t before;
    if (base->n_counters == 0)
        return PAPI_OK;
    signals_block(&before);
    int code = group->source->ask_all(group->free_running.event, base->n_counters, now, why);
    code = code ?: follow_all(group, from, now, value, why);
    signals_restore(&before);
    return code;
}

/* Starts the group from what its counters show now. */
static int start(struct counter_group *base, struct reason *why)
{
    struct function_group *group = function_group(base);
    memset(group->counter, 0, sizeof group->counter);
    group->shrunk = 0;
    group->starting = group->source->ask_all != NULL;
    return free_running_start(base, why);
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
        return reason_set(why, PAPI_ECMP, "%s %s", event->name,
                          group->source->no_set ?: "shows what is the case now: it cannot be set");
    return group->source->set(event, value, why);
}

static const struct group_ops function_groups = {
    .add = add,
    .start = start,
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
        free_running_create(sizeof(struct function_group), options, &function_groups,
                            source->ask_all != NULL ? read_together : read_each);
    if (group != NULL)
        function_group(group)->source = source;
    return group;
}

int function_try(const struct function_source *source, const struct event_encoding *event, struct reason *why)
{
    uint64_t now;
    return source->ask(event->event, &now, why);
}
