/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/separate.h"
#include "components/perf_event/group.h"
#include "components/perf_event/sys.h"
#include "components/perf_event/uncore.h"
#include "papi.h"

#include <stdlib.h>

struct separate_group {
    struct counter_group base;
    bool uncore; /* of PMUs outside the cores */
    int fd[MAX_COUNTERS];
    struct counter_reading origin[MAX_COUNTERS]; /* where the counters were when last stopped */
    uint64_t seen[MAX_COUNTERS];                 /* the largest count that a read gave since then */
    uint64_t count[2][MAX_COUNTERS];             /* when last stopped, and the time before */
};

static struct separate_group *separate_group(struct counter_group *group)
{
    return (struct separate_group *)group;
}

static const char *form_name(const struct separate_group *group)
{
    return group->uncore                ? "perf_event_uncore's"
           : group->base.form.multiplex ? "multiplexed"
                                        : "inherited (PAPI_INHERIT)";
}

/* ------------------------------------------------------------------------ reads */

/* What was counted in a part of the time, for all of it: count * enabled / running. */
static uint64_t scaled(const struct counter_reading *part)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)part->count * part->time_enabled / part->time_running);
}

static int never_ran(const struct separate_group *group, int i, struct reason *why)
{
    if (!group->base.form.multiplex)
        return reason_set(
            why, PAPI_ECNFLCT,
            "the event set is started but the kernel has never put it on the counters: something "
            "else holds them");
    return reason_set(
        why, PAPI_ECNFLCT,
        "counter %d of the multiplexed event set has not had its turn yet: count longer, or with "
        "fewer events; or something else holds the counters",
        i);
}

/* What a counter has counted since the group was last stopped. */
static int counted(const struct separate_group *group, int i, const struct counter_reading *now,
                   uint64_t *count, struct reason *why)
{
    const struct counter_reading *origin = &group->origin[i];
    const struct counter_reading part = {now->count - origin->count, now->time_enabled - origin->time_enabled,
                                         now->time_running - origin->time_running};
    *count = part.count;
    if (part.time_running >= part.time_enabled)
        return PAPI_OK;
    if (part.time_running == 0)
        return never_ran(group, i, why);
    if (!group->base.form.multiplex)
        return reason_set(
            why, PAPI_ECNFLCT,
            "the event set was on the counters for a part of the time only: something else wants them, "
            "or a thread that inherited it could not get them (PAPI_set_multiplex scales such counts)");
    *count = scaled(&part);
    return PAPI_OK;
}

/* The count of one counter. It never goes back, although a better estimate may be smaller. */
static int look(struct separate_group *group, int i, struct counter_reading *now, uint64_t *count,
                struct reason *why)
{
    int code = sys_read_counter(group->fd[i], now, why);
    if (code == PAPI_OK)
        code = counted(group, i, now, count, why);
    if (code != PAPI_OK)
        return code;
    *count += group->base.stopped[i];
    if (*count < group->seen[i])
        *count = group->seen[i];
    group->seen[i] = *count;
    return PAPI_OK;
}

static int read_each(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    struct separate_group *group = separate_group(base);
    struct counter_reading now;
    uint64_t count[MAX_COUNTERS];
    for (int i = 0; i < base->n_counters; i++) {
        int code = look(group, i, &now, &count[i], why);
        if (code != PAPI_OK)
            return code;
    }
    for (int i = 0; i < base->n_counters; i++)
        value[i] = count[i] - from[i];
    return PAPI_OK;
}

/* --------------------------------------------------------------- start and stop */

/* Each counter is a kernel group of its own. Outside the cores those of several PMUs and CPUs would not go
 * into one. */
static bool is_apart(const struct separate_group *group)
{
    return group->base.form.multiplex || group->uncore;
}

/* A kernel group is started and stopped by its leader. */
static int n_switches(const struct separate_group *group)
{
    return is_apart(group) ? group->base.n_counters : 1;
}

/* The first error is the one to report. */
static void note(int *code, int next, struct reason *why, const struct reason *reason)
{
    if (*code != PAPI_OK || next == PAPI_OK)
        return;
    *code = next;
    reason_set(why, next, "%s", reason->text);
}

static int separate_stop(struct counter_group *base, struct reason *why)
{
    struct separate_group *group = separate_group(base);
    uint64_t *count = group->count[base->stopped == group->count[0]];
    struct reason reason = {0};
    int code = PAPI_OK;
    for (int i = n_switches(group) - 1; i >= 0; i--)
        note(&code, sys_disable(group->fd[i], &reason), why, &reason);
    for (int i = 0; i < base->n_counters; i++) {
        struct counter_reading now = group->origin[i];
        count[i] = group->seen[i];
        note(&code, look(group, i, &now, &count[i], &reason), why, &reason);
        group->origin[i] = now;
    }
    base->stopped = count;
    for (int i = 0; i < base->n_counters; i++)
        group->seen[i] = count[i];
    return code;
}

static int separate_start(struct counter_group *base, struct reason *why)
{
    struct separate_group *group = separate_group(base);
    int n = n_switches(group), code = PAPI_OK;
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = sys_enable(group->fd[i], why);
    if (code != PAPI_OK)
        separate_stop(base, NULL);
    return code;
}

static void separate_silence(const struct counter_group *base)
{
    const struct separate_group *group = (const struct separate_group *)base;
    for (int i = 0; i < base->n_counters && i < n_switches(group); i++)
        sys_disable(group->fd[i], NULL);
}

static bool separate_target_ended(const struct counter_group *base, const char *root)
{
    return target_ended(base, root, ((const struct separate_group *)base)->fd[0]);
}

static int start_living(struct counter_group *base, struct reason *why)
{
    return separate_target_ended(base, "") ? start_too_late(base, why) : separate_start(base, why);
}

/* ---------------------------------------------------------------------- the life */

static int open_counter(const struct separate_group *group, const char *root,
                        const struct event_encoding *event, int leader, int *fd, struct reason *why)
{
    struct perf_event_attr attr;
    if (group->uncore)
        return uncore_open(root, event, &group->base.form, fd, why);
    describe_event(event, group->base.form.domain, &attr);
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.disabled = leader < 0;
    attr.inherit = group->base.form.inherit;
    return sys_open(root, &group->base.form, &attr, leader, fd, why);
}

static void close_from(struct separate_group *group, int first)
{
    for (int i = group->base.n_counters - 1; i >= first; i--)
        sys_close(group->fd[i]);
    group->base.n_counters = first;
}

static void separate_abandon(struct counter_group *base)
{
    close_from(separate_group(base), 0);
}

static void separate_destroy(struct counter_group *base)
{
    if (base != NULL)
        close_from(separate_group(base), 0);
    free(base);
}

/* Lets the group count for a moment. That a counter of a multiplexed one has no turn in it is not a fault. */
static int try_group(struct separate_group *group, struct reason *why)
{
    int code = separate_start(&group->base, why);
    if (code != PAPI_OK)
        return code;
    code = separate_stop(&group->base, why);
    return group->base.form.multiplex && code == PAPI_ECNFLCT ? PAPI_OK : code;
}

/* The kernel says EINVAL both for an event that it does not know and for a full group. */
static int why_refused(const struct separate_group *group, const char *root,
                       const struct event_encoding *event, int code, struct reason *why)
{
    if (group->base.n_counters == 0 || code != PAPI_ENOEVNT)
        return code;
    struct reason alone = {0};
    int fd;
    open_counter(group, root, event, -1, &fd, &alone);
    sys_close(fd);
    return refused_with_others(&group->base, code, &alone, why);
}

static int separate_add(struct counter_group *base, const char *root, const struct event_encoding *event,
                        uint64_t period, struct reason *why)
{
    struct separate_group *group = separate_group(base);
    int n = base->n_counters, fd;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP, "%s event sets deliver no overflows", form_name(group));
    /* The kernel's times do not tell waiting for a counter from being on cores of another kind. */
    if (event->some_cores)
        return reason_set(why, PAPI_ECNFLCT,
                          "%s event sets hold no events of one kind of a hybrid processor's cores: what they "
                          "missed could not be told",
                          form_name(group));
    int code = open_counter(group, root, event, n == 0 || is_apart(group) ? -1 : group->fd[0], &fd, why);
    if (code != PAPI_OK)
        return why_refused(group, root, event, code, why);
    group->fd[n] = fd;
    group->origin[n] = (struct counter_reading){0};
    group->seen[n] = group->count[0][n] = group->count[1][n] = 0;
    base->n_counters++;
    code = try_group(group, why);
    if (code == PAPI_OK)
        return PAPI_OK;
    close_from(group, n);
    return code == PAPI_ECNFLCT && n > 0 ? no_counter_left(n, why) : code;
}

static const struct group_ops separate_groups = {
    .add = separate_add,
    .target_ended = separate_target_ended,
    .start = start_living,
    .stop = separate_stop,
    .silence = separate_silence,
    .destroy = separate_destroy,
    .abandon = separate_abandon,
};

struct counter_group *separate_create(const struct group_form *form, bool uncore)
{
    struct separate_group *group = calloc(1, sizeof *group);
    if (group == NULL)
        return NULL;
    group->base.ops = &separate_groups;
    group->base.read = read_each;
    group->base.accum = accum_takes_a_read;
    group->base.stopped = group->count[0];
    group->base.form = *form;
    group->uncore = uncore;
    return &group->base;
}
