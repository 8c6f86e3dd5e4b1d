/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/sum_group.h"
#include "components/perf_event/perf_group.h"
#include "papi.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct sum_group *sum_group(const struct counter_group *group)
{
    return (struct sum_group *)group;
}

/* ---- members */

/* The array of before is left alone until the new one is in its place, since a handler may look at it. */
static bool make_room(struct members *members)
{
    size_t n = (size_t)members->n;
    struct member **before = members->member, **room;
    if ((n & (n - 1)) != 0) /* as base/array.h has it */
        return true;
    room = calloc(n > 0 ? 2 * n : 1, sizeof(struct member *));
    if (room == NULL)
        return false;
    if (n > 0)
        memcpy(room, before, n * sizeof(struct member *));
    members->member = room;
    atomic_signal_fence(memory_order_seq_cst);
    free(before);
    return true;
}

struct member *members_append(struct members *members, size_t size, struct counter_group *group)
{
    struct member *member = calloc(1, size);
    if (member == NULL || !make_room(members)) {
        if (group != NULL)
            group->ops->destroy(group);
        free(member);
        return NULL;
    }
    member->group = group;
    members->member[members->n] = member;
    atomic_signal_fence(memory_order_seq_cst);
    members->n++;
    return member;
}

void member_close(struct member *member)
{
    if (member->group != NULL)
        member->group->ops->destroy(member->group);
    free(member);
}

void members_close(struct members *members)
{
    int n = members->n;
    members->n = 0;
    atomic_signal_fence(memory_order_seq_cst);
    for (int m = 0; m < n; m++)
        member_close(members->member[m]);
    free(members->member);
    members->member = NULL;
}

/* The next group that has counters; NULL: there is none. */
static struct counter_group *next_group(const struct members *members, int *m)
{
    while (*m < members->n) {
        struct counter_group *group = members->member[(*m)++]->group;
        if (group != NULL && group->n_counters > 0)
            return group;
    }
    return NULL;
}

int member_counts(const struct member *member, bool stopped, uint64_t *now, const uint64_t **count,
                  struct reason *why)
{
    static const uint64_t zero[MAX_COUNTERS];
    struct counter_group *group = member->group;
    bool counts = group != NULL && group->n_counters > 0, reads = counts && !stopped;
    *count = reads ? now : counts ? group->stopped : member->last;
    return reads ? group->read(group, zero, now, why) : PAPI_OK;
}

/* The member's counter that is a part of one of the sum's; -1: none. */
static int part_of(const struct member *member, int counter)
{
    return member->part != NULL ? member->part[counter] - 1 : counter;
}

/* ---- counts */

static bool has_counts(int code)
{
    return code == PAPI_OK || code == PAPI_ECLOST;
}

/* Adds up what all members show, or what they showed at their last stop (stopped). Of one that was lost that
 * is what it had counted: PAPI_ECLOST. */
static int add_up(const struct sum_group *sum, bool stopped, uint64_t *total, struct reason *why)
{
    int n = sum->base.n_counters, lost = PAPI_OK;
    memcpy(total, sum->offset, (size_t)n * sizeof *total);
    for (int m = 0; m < sum->members.n; m++) {
        const struct member *member = sum->members.member[m];
        uint64_t now[MAX_COUNTERS];
        const uint64_t *count;
        int code = member_counts(member, stopped, now, &count, why);
        if (!has_counts(code))
            return code;
        lost = lost ?: code;
        for (int i = 0; i < n && count != NULL; i++)
            total[i] += part_of(member, i) >= 0 ? count[part_of(member, i)] : 0;
    }
    return lost;
}

static int check_members(struct sum_group *sum, struct reason *why)
{
    return sum->check != NULL ? sum->check(sum, why) : PAPI_OK;
}

int sum_read(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    uint64_t total[MAX_COUNTERS], origin[MAX_COUNTERS];
    group_take_base(from, base->n_counters, origin);
    int code = add_up(sum_group(base), false, total, why) ?: check_members(sum_group(base), why);
    for (int i = 0; i < base->n_counters && has_counts(code); i++)
        value[i] = total[i] - origin[i];
    return code;
}

void sum_settle(struct sum_group *sum)
{
    uint64_t now[MAX_COUNTERS];
    add_up(sum, true, now, NULL);
    for (int i = 0; i < sum->base.n_counters; i++)
        sum->offset[i] += sum->base.stopped[i] - now[i];
}

void sum_begin_counter(struct sum_group *sum)
{
    int n = sum->base.n_counters;
    sum->offset[n] = sum->count[0][n] = sum->count[1][n] = 0;
    sum->base.n_counters = n + 1;
    sum_settle(sum);
}

/* ---- the group's functions */

/* An error that is not a loss is the one to report, and the first of those. */
int sum_stop(struct counter_group *base, struct reason *why)
{
    struct sum_group *sum = sum_group(base);
    struct counter_group *group;
    uint64_t *spare = base->stopped == sum->count[0] ? sum->count[1] : sum->count[0];
    int told = PAPI_OK;
    for (int m = 0; (group = next_group(&sum->members, &m)) != NULL;) {
        int code = group->ops->stop(group, has_counts(told) ? why : NULL);
        told = has_counts(told) && code != PAPI_OK ? code : told;
    }
    add_up(sum, true, spare, NULL);
    base->stopped = spare;
    return told ?: check_members(sum, why);
}

int sum_start(struct counter_group *base, struct reason *why)
{
    struct sum_group *sum = sum_group(base);
    struct counter_group *group;
    int code = PAPI_OK;
    for (int m = 0; code == PAPI_OK && (group = next_group(&sum->members, &m)) != NULL;)
        code = group->ops->start(group, why);
    if (code != PAPI_OK)
        sum_stop(base, NULL);
    return code;
}

/* The times of the members' own counters, to those that they are a part of. */
int sum_times(struct counter_group *base, bool stopped, struct counted_time *time, struct reason *why)
{
    const struct sum_group *sum = sum_group(base);
    struct counter_group *group;
    int code = PAPI_OK;
    for (int m = 0; code == PAPI_OK && (group = next_group(&sum->members, &m)) != NULL;) {
        struct counted_time own[MAX_COUNTERS] = {{0, 0}};
        code = group->ops->times(group, stopped, own, why);
        for (int i = 0; i < base->n_counters && code == PAPI_OK; i++) {
            int part = part_of(sum->members.member[m - 1], i);
            time[i].wanted += part >= 0 ? own[part].wanted : 0;
            time[i].counted += part >= 0 ? own[part].counted : 0;
        }
    }
    return code;
}

void sum_renew(struct counter_group *base, const uint64_t *least)
{
    struct counter_group *group;
    (void)least; /* of the sum */
    for (int m = 0; (group = next_group(&sum_group(base)->members, &m)) != NULL;)
        group->ops->renew(group, NULL);
}

void sum_silence(const struct counter_group *base)
{
    const struct counter_group *group;
    for (int m = 0; (group = next_group(&sum_group(base)->members, &m)) != NULL;)
        group->ops->silence(group);
}

void sum_abandon(struct counter_group *base)
{
    const struct members *members = &sum_group(base)->members;
    for (int m = 0; m < members->n; m++)
        if (members->member[m]->group != NULL)
            members->member[m]->group->ops->abandon(members->member[m]->group);
}

void *sum_create(size_t size, const struct group_options *options, const struct group_ops *ops,
                 int (*check)(struct sum_group *sum, struct reason *why))
{
    struct sum_group *sum = calloc(1, size);
    if (sum == NULL)
        return NULL;
    sum->base.ops = ops;
    sum->base.options = *options;
    sum->base.read = sum_read;
    sum->base.accum = accum_takes_a_read;
    sum->base.stopped = sum->count[0];
    sum->check = check;
    return sum;
}
