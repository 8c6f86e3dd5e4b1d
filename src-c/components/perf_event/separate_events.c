/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads counters one by one, and scales the counts of those that are multiplexed or share the counters.
 *
 * The kernel says of each counter how long it was enabled, and for how much of that it was running, which is
 * on a hardware counter. The count of a run is estimated as count * enabled / running, all three as
 * differences since the last stop, with a product of 128 bits, which cannot overflow. The estimate is exact
 * where nothing was missed, and as good as the assumption otherwise that the event happened as often while
 * the counter was off as while it was on. Nothing is made up where that assumption has no ground: a counter
 * without any turn is an error (PAPI_ECNFLCT), and so is any missed time of a set that is neither multiplexed
 * nor shares its counters.
 *
 * A later estimate may be smaller than an earlier one. A count that was once given is therefore the least
 * that the next readings give (seen), so that values never go back while a set runs. Not so where it shares
 * its counters: it may be read just after it got them, and that estimate is a bad one. A stop adds the run's
 * estimate to the counts of earlier runs and moves the origin; what was estimated once is not estimated
 * again. Where a set shares its counters with others, so does whatever lets the counts begin anew
 * (separate_renew): what was counted before that tells nothing about a time in which others had them.
 */
#include "base/likely.h"
#include "base/wide.h"
#include "components/perf_event/perf_group.h"
#include "papi.h"

#include <stdatomic.h>
#include <string.h>

const char *separate_name(const struct kernel_group *group)
{
    return group->uncore                   ? "perf_event_uncore's"
           : group->base.options.multiplex ? "multiplexed"
           : group->base.options.share     ? "sharing (PAPI_SHARE)"
                                           : "inherited (PAPI_INHERIT)";
}

static bool is_scaled(const struct kernel_group *group)
{
    return group->base.options.multiplex || group->base.options.share;
}

static __attribute__((cold)) int never_ran(const struct kernel_group *group, int i, struct reason *why)
{
    if (!is_scaled(group))
        return group_never_scheduled(why);
    if (!group->base.options.multiplex)
        return reason_set(
            why, PAPI_ECNFLCT,
            "the event set, which shares the counters (PAPI_SHARE), has had none since PAPI_start "
            "or since its counts were zeroed: count longer, or with fewer events; or something "
            "else holds them all the time");
    return reason_set(
        why, PAPI_ECNFLCT,
        "counter %d of the multiplexed event set has not had its turn yet: count longer, or with "
        "fewer events; or something else holds the counters",
        i);
}

/* Nanoseconds without which there is no estimate for a set that shares its counters: it is on them or off in
 * the kernel, where some microseconds of each change are counted for. */
enum { LEAST_COUNTED = 100000 };

static __attribute__((cold)) int too_short(uint64_t counted, struct reason *why)
{
    return reason_set(
        why, PAPI_ECNFLCT,
        "the event set, which shares the counters (PAPI_SHARE), had them for %.1f microseconds "
        "alone since PAPI_start or since its counts were zeroed: too short for an estimate; count "
        "longer",
        (double)counted * 1e-3);
}

static __attribute__((cold)) int missed_some(struct reason *why)
{
    reason_set(
        why, PAPI_ECNFLCT,
        "the event set was on the counters for a part of the time only: something else wants them, or a "
        "thread that inherited it could not get them (PAPI_set_multiplex scales such counts)");
    return reason_held(why, PAPI_ECNFLCT);
}

/* Counts of a counter since the group was last stopped. */
static int counted(const struct kernel_group *group, int i, const struct counter_reading *now,
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
    if (!is_scaled(group))
        return missed_some(why);
    if (group->base.options.share && part.time_running < LEAST_COUNTED)
        return too_short(part.time_running, why);
    *count = wide_share(part.count, part.time_enabled, part.time_running);
    return PAPI_OK;
}

/* Reads a counter and its count within one run of the set: if a handler has stopped the set in between, which
 * moves what the count begins at, both are taken again. */
static int count_now(const struct kernel_group *group, int i, struct counter_reading *now, uint64_t *count,
                     struct reason *why)
{
    unsigned stops;
    int code;
    do {
        stops = group->stops;
        atomic_signal_fence(memory_order_seq_cst);
        code = sys_read_counter(group->fd[i], now, why) ?: counted(group, i, now, count, why);
        if (code == PAPI_OK)
            *count += group->base.stopped[i];
        atomic_signal_fence(memory_order_seq_cst);
    } while (unlikely(stops != group->stops));
    return code;
}

/* The count of one counter. It never goes back, although a better estimate may be smaller; that of a set that
 * shares its counters does. */
static int look(struct kernel_group *group, int i, struct counter_reading *now, uint64_t *count,
                struct reason *why)
{
    int code = count_now(group, i, now, count, why);
    if (code != PAPI_OK)
        return code;
    if (group->base.options.share) {
        group->seen[i] = *count;
        return PAPI_OK;
    }
    uint64_t seen = group->seen[i]; /* a handler may see more meanwhile */
    while (*count > seen && !__atomic_compare_exchange_n(&group->seen[i], &seen, *count, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    *count = *count < seen ? seen : *count;
    return PAPI_OK;
}

/* A signal's handler may move the base while the counters are read: it is taken before, so that no count is
 * less, and twice alike, so that all begin at one moment. */
int separate_read(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    struct counter_reading now;
    uint64_t count[MAX_COUNTERS], origin[MAX_COUNTERS];
    int code = PAPI_OK;
    do {
        memcpy(origin, from, (size_t)base->n_counters * sizeof *origin);
        atomic_signal_fence(memory_order_seq_cst);
    } while (unlikely(memcmp(origin, from, (size_t)base->n_counters * sizeof *origin) != 0));
    atomic_signal_fence(memory_order_seq_cst);
    for (int i = 0; i < base->n_counters && code == PAPI_OK; i++)
        code = look(kernel_group(base), i, &now, &count[i], why);
    for (int i = 0; i < base->n_counters && code == PAPI_OK; i++)
        value[i] = count[i] - origin[i];
    return code;
}

/* A handler may read at any instruction: a time that runs without being enabled is nothing missed, and what
 * was seen stays. */
static void move_origin(struct counter_reading *origin, const struct counter_reading *now)
{
    origin->time_enabled = now->time_enabled;
    atomic_signal_fence(memory_order_seq_cst);
    origin->count = now->count;
    atomic_signal_fence(memory_order_seq_cst);
    origin->time_running = now->time_running;
}

static struct counted_time time_between(const struct counter_reading *from, const struct counter_reading *to)
{
    const struct counted_time time = {to->time_enabled - from->time_enabled,
                                      to->time_running - from->time_running};
    return time;
}

/* The first error is the one to report. */
int separate_stop(struct counter_group *base, struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    uint64_t *count = group->spare->count;
    group->stops++;
    int code = group_switch(group, sys_disable, why);
    for (int i = 0; i < base->n_counters; i++) {
        struct counter_reading now = group->origin[i];
        count[i] = group->seen[i];
        int next = look(group, i, &now, &count[i], code == PAPI_OK ? why : NULL);
        code = code ?: next;
        group->run[i] = time_between(&group->origin[i], &now);
        move_origin(&group->origin[i], &now);
    }
    group_keep(group, group->spare);
    memcpy(group->seen, count, sizeof group->seen);
    group->unread = code != PAPI_OK;
    return code;
}

int separate_begin_anew(struct kernel_group *group, struct reason *why)
{
    for (int i = 0; i < group->base.n_counters; i++) {
        struct counter_reading now;
        int code = sys_read_counter(group->fd[i], &now, why);
        if (code != PAPI_OK)
            return code;
        move_origin(&group->origin[i], &now);
    }
    group->unread = false;
    return PAPI_OK;
}

/* ---- what was missed */

/* Reads a counter and where its run began: if a handler has stopped the set in between, both once more. */
static int time_now(const struct kernel_group *group, int i, struct counted_time *time, struct reason *why)
{
    unsigned stops;
    int code;
    do {
        struct counter_reading now = {0};
        stops = group->stops;
        atomic_signal_fence(memory_order_seq_cst);
        code = sys_read_counter(group->fd[i], &now, why);
        *time = time_between(&group->origin[i], &now);
        atomic_signal_fence(memory_order_seq_cst);
    } while (unlikely(stops != group->stops));
    return code;
}

int separate_times(const struct kernel_group *group, bool stopped, struct counted_time *time,
                   struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < group->base.n_counters && code == PAPI_OK; i++) {
        struct counted_time own = group->run[i];
        if (!stopped)
            code = time_now(group, i, &own, why);
        if (code == PAPI_OK) {
            time[i].wanted += own.wanted;
            time[i].counted += own.counted;
        }
    }
    return code;
}

/* All is read before anything changes: where a counter cannot be read, the scale stays as it was. */
void separate_renew(struct kernel_group *group, const uint64_t *least)
{
    struct counter_reading now[MAX_COUNTERS];
    uint64_t *count = group->spare->count, given[MAX_COUNTERS];
    int n = group->base.n_counters;
    memcpy(given, least != NULL ? least : group->seen, (size_t)n * sizeof *given);
    for (int i = 0; i < n; i++)
        if (count_now(group, i, &now[i], &count[i], NULL) != PAPI_OK)
            return;
    group->stops++;
    for (int i = 0; i < n; i++) {
        count[i] = count[i] < given[i] ? given[i] : count[i];
        group->seen[i] = count[i];
        group->run[i] = (struct counted_time){0};
        move_origin(&group->origin[i], &now[i]);
    }
    group_keep(group, group->spare);
}
