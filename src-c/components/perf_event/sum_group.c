/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of the counts of groups.
 *
 * Where members are multiplexed or share their counters, each one's count is an estimate, of the time in
 * which it was counted. One that was not, or for too short a time, has none: a thread that woke up for a
 * moment, in which another had the counters. It does not make the sum of all others unknown. The time that is
 * missing of such members is counted as if the event had happened in it as often as in the others' time, if
 * it is at most a hundredth of all; a sum that lacks more is an error.
 */
#include "components/perf_event/sum_group.h"
#include "base/likely.h"
#include "base/signals.h"
#include "components/perf_event/perf_group.h"
#include "papi.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct sum_group *sum_group(const struct counter_group *group)
{
    return (struct sum_group *)group;
}

/* The array of counts that is not of the last stop. */
static uint64_t *spare_of(struct sum_group *sum)
{
    return sum->base.stopped == sum->count[0] ? sum->count[1] : sum->count[0];
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
    sum->offset[n] = sum->count[0][n] = sum->count[1][n] = sum->seen[n] = 0;
    sum->base.n_counters = n + 1;
    sum_settle(sum);
}

/* ---- estimates */

enum { LEAST_PARTS = 100 }; /* of the time: the missing one is at most one of them */

/* A counter of all members in one run: the estimates of those that tell, with their time; and what the others
 * have counted, and the time that is missing of them. */
struct pool {
    uint64_t count, time, few, missing;
};

static void pool_add(struct pool *pool, const struct counter_reading *run, bool share)
{
    if (run_tells(run, share)) {
        pool->count += run_estimate(run);
        pool->time += run->time_enabled;
    } else {
        pool->few += run->count;
        pool->missing += run->time_enabled - run->time_running;
    }
}

static __attribute__((cold)) int too_much_missing(const struct sum_group *sum, const struct pool *pool,
                                                  struct reason *why)
{
    return reason_set(
        why, PAPI_ECNFLCT,
        "the event set%s, on threads or CPUs that have %.1f %% of its time since PAPI_start or since its "
        "counts were zeroed: too much for an estimate; count longer, or with fewer events; or something else "
        "holds the counters all the time",
        sum->base.options.share ? ", which shares the counters (PAPI_SHARE), has had none, or for less than "
                                  "0.1 milliseconds"
                                : ", which is multiplexed, has an event that has not had its turn yet",
        100 * (double)pool->missing / ((double)pool->missing + (double)pool->time));
}

static int pool_count(const struct sum_group *sum, const struct pool *pool, uint64_t *count,
                      struct reason *why)
{
    *count = pool->count;
    if (likely(pool->missing == 0))
        return PAPI_OK;
    if (pool->missing > pool->time / (LEAST_PARTS - 1))
        return too_much_missing(sum, pool, why);
    *count += pool->few + wide_share(pool->count, pool->missing, pool->time);
    return PAPI_OK;
}

/* Gives the counts of all members in the run that goes on, or in the last one (stopped). */
static int count_run(const struct sum_group *sum, bool stopped, uint64_t *count, struct reason *why)
{
    struct pool pool[MAX_COUNTERS] = {{0}};
    struct counter_group *group;
    int n = sum->base.n_counters, lost = PAPI_OK, code = PAPI_OK;
    for (int m = 0; (group = next_group(&sum->members, &m)) != NULL;) {
        struct counter_reading now[MAX_COUNTERS];
        const struct counter_reading *run = stopped ? kernel_group(group)->run : now;
        code = stopped ? PAPI_OK : group_counted(kernel_group(group), now, why);
        if (!has_counts(code))
            return code;
        lost = lost ?: code;
        for (int i = 0; i < n; i++)
            if (part_of(sum->members.member[m - 1], i) >= 0)
                pool_add(&pool[i], &run[part_of(sum->members.member[m - 1], i)], sum->base.options.share);
    }
    code = PAPI_OK;
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = pool_count(sum, &pool[i], &count[i], why);
    return code ?: lost;
}

/* Adds the run that goes on to the counts of before: if a handler has stopped the set in between, once more.
 */
static int estimate(const struct sum_group *sum, uint64_t *total, struct reason *why)
{
    unsigned stops;
    int code;
    do {
        stops = sum->stops;
        atomic_signal_fence(memory_order_seq_cst);
        code = count_run(sum, false, total, why);
        for (int i = 0; i < sum->base.n_counters && has_counts(code); i++)
            total[i] += sum->base.stopped[i];
        atomic_signal_fence(memory_order_seq_cst);
    } while (unlikely(stops != sum->stops));
    return code;
}

static int read_estimates(struct counter_group *base, const uint64_t *from, uint64_t *value,
                          struct reason *why)
{
    struct sum_group *sum = sum_group(base);
    uint64_t total[MAX_COUNTERS], origin[MAX_COUNTERS];
    group_take_base(from, base->n_counters, origin);
    if (unlikely(sum->stopping))
        return reason_set(
            why, PAPI_ECNFLCT,
            "this signal handler has interrupted the stop of the event set, whose estimates are "
            "there in the next one");
    int code = estimate(sum, total, why) ?: check_members(sum, why);
    for (int i = 0; i < base->n_counters && has_counts(code); i++)
        value[i] = note_seen(&sum->seen[i], base->options.share, total[i]) - origin[i];
    return code;
}

/* Adds the last run of all members to the counts of before, as the sum's; where they cannot be told, that is
 * what was last seen. */
static int end_run(struct sum_group *sum, uint64_t *total, struct reason *why)
{
    int code = count_run(sum, true, total, why);
    for (int i = 0; i < sum->base.n_counters; i++)
        total[i] = !has_counts(code)
                       ? sum->seen[i]
                       : note_seen(&sum->seen[i], sum->base.options.share, sum->base.stopped[i] + total[i]);
    return code;
}

/* ---- the group's functions */

/* An error that is not a loss is the one to report, and the first of those. */
int sum_stop(struct counter_group *base, struct reason *why)
{
    struct sum_group *sum = sum_group(base);
    struct counter_group *group;
    uint64_t *spare = spare_of(sum);
    int told = PAPI_OK;
    sum->stopping = true;
    sum->stops++;
    atomic_signal_fence(memory_order_seq_cst);
    for (int m = 0; (group = next_group(&sum->members, &m)) != NULL;) {
        int code = group->ops->stop(group, has_counts(told) ? why : NULL);
        told = has_counts(told) && code != PAPI_OK ? code : told;
    }
    if (sum_estimates(&base->options)) {
        int code = end_run(sum, spare, has_counts(told) ? why : NULL);
        told = has_counts(told) && code != PAPI_OK ? code : told;
    } else {
        add_up(sum, true, spare, NULL);
    }
    atomic_signal_fence(memory_order_seq_cst);
    base->stopped = spare;
    atomic_signal_fence(memory_order_seq_cst);
    sum->stopping = false;
    return told ?: check_members(sum, why);
}

int sum_start(struct counter_group *base, struct reason *why)
{
    struct sum_group *sum = sum_group(base);
    struct counter_group *group;
    int code = PAPI_OK;
    sum->stopping = false; /* a handler may have left a stop by siglongjmp */
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

/* Has the counts of a sum that shares its counters be estimated from now on by what is missed from now on, as
 * separate_renew. Signals are blocked meanwhile: a handler may stop the set. */
void sum_renew(struct counter_group *base, const uint64_t *least)
{
    struct sum_group *sum = sum_group(base);
    struct counter_group *group;
    uint64_t *spare = spare_of(sum), given[MAX_COUNTERS];
    sigset_t before;
    if (!base->options.share)
        return;
    signals_block(&before);
    memcpy(given, least != NULL ? least : sum->seen, (size_t)base->n_counters * sizeof *given);
    sum->stops++;
    for (int m = 0; (group = next_group(&sum->members, &m)) != NULL;)
        separate_renew(kernel_group(group), NULL);
    end_run(sum, spare, NULL);
    for (int i = 0; i < base->n_counters; i++)
        sum->seen[i] = spare[i] = spare[i] < given[i] ? given[i] : spare[i];
    base->stopped = spare;
    signals_restore(&before);
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
    sum->base.read = sum_estimates(options) ? read_estimates : sum_read;
    sum->base.accum = accum_takes_a_read;
    sum->base.stopped = sum->count[0];
    sum->check = check;
    return sum;
}
