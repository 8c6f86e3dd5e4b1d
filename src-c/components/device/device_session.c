/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/device_session.h"
#include "components/device/device_library.h"
#include "components/free_running.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The events of one device. */
struct part {
    int device, n;
    unsigned char counter[MAX_COUNTERS];
    struct device_plan *plan;
};

struct device_group {
    struct free_running_group shared;
    const struct device_counting *counting;
    bool running;
    uint64_t before[MAX_COUNTERS]; /* counts of the runs that have ended */
    int n_parts;
    struct part part[MOST_DEVICES];
};

static struct device_group *device_group(struct counter_group *group)
{
    return (struct device_group *)group;
}

/* ---- owners */

static struct device_owners *owners_of(const struct component_event *event)
{
    return event->opened;
}

static int of_parent(const struct device_counting *counting, struct reason *why)
{
    return reason_set(why, PAPI_ENOSUPP,
                      "the library of component %s was opened by the process that this one was forked from, "
                      "and does not work in its children: fork before the first of its events is asked for",
                      counting->name);
}

static bool is_of_parent(const struct component_event *event)
{
    return owners_of(event)->process != getpid();
}

static struct device_owner *owner_of(const struct device_group *group, const struct part *part)
{
    return &owners_of(group->shared.event[part->counter[0]])->of[part->device];
}

static int refuse_second(const struct device_group *group, const struct device_owner *owner, int device,
                         struct reason *why)
{
    bool own = owner->thread == (int)syscall(SYS_gettid);
    return reason_set(why, own ? PAPI_EISRUN : PAPI_ECNFLCT,
                      "%s: device %d counts for %s: stop that one first", group->counting->name, device,
                      own ? "another event set of this thread" : "an event set of another thread");
}

static void release(struct device_group *group, int n_parts)
{
    for (int i = 0; i < n_parts; i++)
        atomic_store(&owner_of(group, &group->part[i])->group, NULL);
}

/* Takes all devices of a group, or none. */
static int claim(struct device_group *group, struct reason *why)
{
    for (int i = 0; i < group->n_parts; i++) {
        struct device_owner *owner = owner_of(group, &group->part[i]);
        const void *nobody = NULL;
        if (!atomic_compare_exchange_strong(&owner->group, &nobody, group)) {
            release(group, i);
            return refuse_second(group, owner, group->part[i].device, why);
        }
        owner->thread = (int)syscall(SYS_gettid);
    }
    return PAPI_OK;
}

/* ---- plans */

static void drop_plan(const struct device_counting *counting, struct device_plan *plan)
{
    if (counting->discard != NULL)
        counting->discard(plan);
    free(plan);
}

static int make_plan(const struct device_counting *counting, const struct component_event *const *event,
                     int n, struct device_plan **out, struct reason *why)
{
    struct device_plan *plan = *out = calloc(1, counting->size);
    if (plan == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    plan->opened = event[0]->opened;
    plan->n = n;
    memcpy(plan->event, event, (size_t)n * sizeof *event);
    int code = counting->prepare(plan, why);
    if (code != PAPI_OK)
        drop_plan(counting, plan);
    return code;
}

/* ---- start, read and stop, while signals are held */

static int stop_parts(struct device_group *group, int n_parts, struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < n_parts; i++) {
        int stopped = group->counting->stop(group->part[i].plan, code == PAPI_OK ? why : NULL);
        code = code ?: stopped;
    }
    return code;
}

static int start_parts(struct device_group *group, struct reason *why)
{
    int code = claim(group, why), i = 0;
    if (code != PAPI_OK)
        return code;
    while (i < group->n_parts && (code = group->counting->start(group->part[i].plan, why)) == PAPI_OK)
        i++;
    if (code != PAPI_OK) {
        stop_parts(group, i, NULL);
        release(group, group->n_parts);
    }
    group->running = code == PAPI_OK;
    return code;
}

/* Reads all parts; PAPI_ECLOST of one does not keep the others from being read. A handler may read while the
 * call that it has interrupted has stopped the devices already. */
static int read_parts(const struct device_group *group, uint64_t *now, struct reason *why)
{
    int code = PAPI_OK;
    if (!group->running) {
        memcpy(now, group->shared.base.stopped, (size_t)group->shared.base.n_counters * sizeof *now);
        return PAPI_OK;
    }
    for (int i = 0; i < group->n_parts && (code == PAPI_OK || code == PAPI_ECLOST); i++) {
        const struct part *part = &group->part[i];
        uint64_t count[MAX_COUNTERS];
        int got = group->counting->read(part->plan, count, code == PAPI_OK ? why : NULL);
        for (int k = 0; k < part->n && (got == PAPI_OK || got == PAPI_ECLOST); k++) {
            int c = part->counter[k];
            bool level = (group->shared.base.levels >> c & 1) != 0;
            now[c] = level ? count[k] : group->before[c] + count[k];
        }
        if (got != PAPI_OK && got != PAPI_ECLOST && code == PAPI_ECLOST && why != NULL)
            reason_set(why, got, "a device cannot be read, and another one has lost counts");
        code = got != PAPI_OK ? got : code;
    }
    return code;
}

static int stop_running(struct device_group *group, struct reason *why)
{
    struct counter_group *base = &group->shared.base;
    uint64_t *spare = group->shared.reading[base->stopped == group->shared.reading[0]];
    if (!group->running)
        return PAPI_OK;
    int code = read_parts(group, spare, why);
    int stopped = stop_parts(group, group->n_parts, code == PAPI_OK ? why : NULL);
    release(group, group->n_parts);
    group->running = false;
    if (code == PAPI_OK || code == PAPI_ECLOST) {
        memcpy(group->before, spare, sizeof group->before);
        base->stopped = spare;
    }
    return code ?: stopped;
}

/* ---- operations */

static int start(struct counter_group *base, struct reason *why)
{
    struct device_group *group = device_group(base);
    if (base->n_counters > 0 && is_of_parent(group->shared.event[0]))
        return of_parent(group->counting, why);
    sigset_t before = device_hold_signals();
    int code = start_parts(group, why);
    device_release_signals(before);
    return code;
}

static int read_group(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    const struct device_group *group = device_group(base);
    uint64_t now[MAX_COUNTERS];
    sigset_t before = device_hold_signals();
    int code = read_parts(group, now, why);
    device_release_signals(before);
    for (int i = 0; i < base->n_counters && (code == PAPI_OK || code == PAPI_ECLOST); i++)
        value[i] = (base->levels >> i & 1) != 0 ? now[i] : now[i] - from[i];
    return code;
}

static int stop(struct counter_group *base, struct reason *why)
{
    struct device_group *group = device_group(base);
    sigset_t before = device_hold_signals();
    int code = stop_running(group, why);
    device_release_signals(before);
    return code;
}

static void renew(struct counter_group *base, const uint64_t *least)
{
    (void)least; /* of counts, which do not change */
    struct device_group *group = device_group(base);
    uint64_t *spare = group->shared.reading[base->stopped == group->shared.reading[0]];
    sigset_t before = device_hold_signals();
    for (int i = 0; i < group->n_parts; i++)
        group->counting->renew(group->part[i].plan);
    for (int i = 0; i < base->n_counters; i++)
        spare[i] = (base->levels >> i & 1) != 0 ? 0 : base->stopped[i];
    base->stopped = spare;
    device_release_signals(before);
}

static int write_number(struct counter_group *base, const char *root, int index, long long value,
                        struct reason *why)
{
    (void)root, (void)value;
    return reason_set(why, PAPI_ECMP, "%s shows what the device does: it cannot be set",
                      device_group(base)->shared.event[index]->name);
}

/* Frees a group. The library is not told of it in the child of a fork, where it is the parent's. */
static void destroy(struct counter_group *base)
{
    struct device_group *group = device_group(base);
    if (group != NULL && group->shared.n_held > 0 && !is_of_parent(group->shared.event[0])) {
        sigset_t before = device_hold_signals();
        if (group->running) {
            stop_parts(group, group->n_parts, NULL);
            release(group, group->n_parts);
        }
        for (int i = 0; i < group->n_parts; i++)
            drop_plan(group->counting, group->part[i].plan);
        device_release_signals(before);
    }
    free_running_destroy(base);
}

/* ---- adding */

/* The events of a part, without the one at a place (-1: with all), and one more. */
static int list_events(const struct device_group *group, const struct part *part, int without,
                       const struct component_event *more, const struct component_event **event)
{
    int n = 0;
    for (int i = 0; i < part->n; i++)
        if (i != without)
            event[n++] = group->shared.event[part->counter[i]];
    event[n++] = more;
    return n;
}

/* Says with which events of the set one cannot be counted: those without any one of which it could be. */
static int explain_conflict(const struct device_group *group, const struct part *part,
                            const struct component_event *more, struct reason *why)
{
    const struct component_event *event[MAX_COUNTERS + 1];
    char names[256] = "", vendor[256];
    struct device_plan *plan;
    size_t used = 0;
    if (part->n == 0 || why == NULL)
        return PAPI_ECNFLCT;
    for (int i = 0; i < part->n; i++) {
        int n = list_events(group, part, i, more, event);
        if (make_plan(group->counting, event, n, &plan, NULL) != PAPI_OK)
            continue;
        drop_plan(group->counting, plan);
        const char *name = group->shared.event[part->counter[i]]->name;
        if (used + strlen(name) + 5 < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? " or " : "", name);
    }
    if (used == 0)
        snprintf(names, sizeof names, "the set's other events of that device");
    snprintf(vendor, sizeof vendor, "%s", why->text);
    return reason_set(
        why, PAPI_ECNFLCT,
        "%s cannot be counted together with %s: %s; count them in event sets that run one after "
        "the other",
        more->name, names, vendor);
}

static struct part *part_of(struct device_group *group, int device)
{
    for (int i = 0; i < group->n_parts; i++)
        if (group->part[i].device == device)
            return &group->part[i];
    group->part[group->n_parts] = (struct part){.device = device};
    return &group->part[group->n_parts];
}

static int add_event(struct device_group *group, const struct component_event *more, struct reason *why)
{
    const struct component_event *event[MAX_COUNTERS + 1];
    struct part *part = part_of(group, group->counting->device(more));
    struct device_plan *plan;
    int code = make_plan(group->counting, event, list_events(group, part, -1, more, event), &plan, why);
    if (code != PAPI_OK)
        return code == PAPI_ECNFLCT ? explain_conflict(group, part, more, why) : code;
    if (part->n == 0)
        group->n_parts++;
    else
        drop_plan(group->counting, part->plan);
    part->plan = plan;
    part->counter[part->n++] = (unsigned char)group->shared.base.n_counters;
    group->before[group->shared.base.n_counters] = 0;
    free_running_hold(&group->shared.base, more, 0);
    return PAPI_OK;
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *encoding,
               uint64_t period, struct reason *why)
{
    struct device_group *group = device_group(base);
    (void)root;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP, "%s is a device's counter: it delivers no overflows",
                          encoding->event->name);
    if (is_of_parent(encoding->event))
        return of_parent(group->counting, why);
    sigset_t before = device_hold_signals();
    int code = add_event(group, encoding->event, why);
    device_release_signals(before);
    return code;
}

/* ---- of components */

int device_session_options(const char *name, const struct group_options *options, struct reason *why)
{
    if (options->target != 0 || options->whole_cpu || options->inherit)
        return reason_set(why, PAPI_ECMP,
                          "component %s counts what devices do, and no thread's, process's or CPU's share: "
                          "without PAPI_attach, PAPI_CPU_ATTACH and PAPI_INHERIT",
                          name);
    if (options->multiplex)
        return reason_set(why, PAPI_ECMP,
                          "the events of component %s cannot take turns: without PAPI_set_multiplex", name);
    return PAPI_OK;
}

int device_session_try(const struct device_counting *counting, const struct component_event *event,
                       int (*try_plan)(struct device_plan *plan, struct reason *why), struct reason *why)
{
    struct device_plan *plan;
    if (is_of_parent(event))
        return of_parent(counting, why);
    sigset_t before = device_hold_signals();
    int code = make_plan(counting, &event, 1, &plan, why);
    if (code == PAPI_OK) {
        code = try_plan != NULL ? try_plan(plan, why) : PAPI_OK;
        drop_plan(counting, plan);
    }
    device_release_signals(before);
    return code;
}

#define OPERATIONS                                                                                           \
    .add = add, .start = start, .stop = stop, .write = write_number, .keep = free_running_keep,              \
    .destroy = destroy, .abandon = free_running_abandon
static const struct group_ops device_groups = {OPERATIONS}, renewed_groups = {OPERATIONS, .renew = renew};

struct counter_group *device_session_create(const struct group_options *options,
                                            const struct device_counting *counting)
{
    struct counter_group *group =
        free_running_create(sizeof(struct device_group), options,
                            counting->renew != NULL ? &renewed_groups : &device_groups, read_group);
    if (group != NULL)
        device_group(group)->counting = counting;
    return group;
}
