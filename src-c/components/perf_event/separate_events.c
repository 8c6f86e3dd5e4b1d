/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads counters one by one, or those of a group at once, and scales the counts of those that are multiplexed
 * or share the counters.
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
 *
 * Counters that are inherited, or shared, are one group of the kernel, in the target and in each child, which
 * is on the counters as a whole: the leader's times are those of all. One more counter, which counts nothing,
 * has the form of a reading of the whole group at one moment, and of the sums over all children, so that what
 * is derived from several events is of one time. The kernel fails such a reading (ECHILD) while a
 * child is being made or ends, or as long as one lives that has another group, since it was looked for
 * (heirs.c); and (ENOSPC) where a fork keeps a counter that was closed here. Then the counters are read one
 * by one, which is right at any time.
 */
#include "base/likely.h"
#include "components/perf_event/perf_group.h"
#include "papi.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

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

static struct counter_reading run_between(const struct counter_reading *from,
                                          const struct counter_reading *to)
{
    return (struct counter_reading){to->count - from->count, to->time_enabled - from->time_enabled,
                                    to->time_running - from->time_running};
}

/* Counts of a counter since the group was last stopped. */
static inline int counted(const struct kernel_group *group, int i, const struct counter_reading *now,
                          uint64_t *count, struct reason *why)
{
    const struct counter_reading run = run_between(&group->origin[i], now);
    *count = run.count;
    if (likely(run.time_running >= run.time_enabled) || group->base.options.summed)
        return PAPI_OK;
    if (run.time_running == 0)
        return never_ran(group, i, why);
    if (!is_scaled(group))
        return missed_some(why);
    if (!run_tells(&run, group->base.options.share))
        return too_short(run.time_running, why);
    *count = run_estimate(&run);
    return PAPI_OK;
}

/* ---- readings */

/* True if the kernel fails a reading of a group in which a child's counters are not the same. Before, it
 * added up what does not belong together, and wrote beyond its memory (CVE-2023-5717). A distribution's
 * version stands behind its name where the release lacks it. */
bool separate_kernel_compares(void)
{
    struct utsname kernel;
    int major = 0, minor = 0, patch = 0;
    if (uname(&kernel) != 0)
        return false;
    const char *debian = strstr(kernel.version, "Debian ");
    sscanf(debian != NULL ? debian + strlen("Debian ") : kernel.release, "%d.%d.%d", &major, &minor, &patch);
    return major > 6 || (major == 6 && (minor >= 6 || (minor == 1 && patch >= 64)));
}

void separate_open_reader(struct kernel_group *group, const char *root)
{
    const struct event_encoding nothing = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
    struct perf_event_attr attr;
    const struct group_options *options = &group->base.options;
    if (group->uncore || options->multiplex || (options->inherit && !separate_kernel_compares()))
        return;
    describe_event(&nothing, options->domain, &attr);
    attr.inherit = options->inherit;
    attr.disabled = 1;
    sys_open(root, options, &attr, group->fd[0], &group->reader, NULL);
}

/* Reads all counters at once. The reader is the second in the group. */
static inline bool read_together(const struct kernel_group *group, struct counter_reading *now)
{
    struct group_reading all;
    long size = (long)(offsetof(struct group_reading, count) +
                       ((size_t)group->base.n_counters + 1) * sizeof all.count[0]);
    if (group->reader < 0 || system_call(SYS_read, group->reader, (long)&all, size) != size)
        return false;
    for (int i = 0; i < group->base.n_counters; i++)
        now[i] = (struct counter_reading){all.count[i + (i > 0)], all.time_enabled, all.time_running};
    return true;
}

/* Reads one counter. Where there is a reader, the leader's times are those of all, as in a reading of all. */
static inline int read_alone(const struct kernel_group *group, int i, struct counter_reading *now,
                             struct reason *why)
{
    int code = sys_read_counter(group->fd[i], &now[i], why);
    if (code == PAPI_OK && group->reader >= 0) {
        now[i].time_enabled = now[0].time_enabled;
        now[i].time_running = now[0].time_running;
    }
    return code;
}

/* Reads a counter, unless all were read together, and gives its count. */
static inline int look(const struct kernel_group *group, int i, bool together, struct counter_reading *now,
                       uint64_t *count, struct reason *why)
{
    int code = together ? PAPI_OK : read_alone(group, i, now, why);
    code = code ?: counted(group, i, &now[i], count, why);
    if (code == PAPI_OK)
        *count += group->base.stopped[i];
    return code;
}

/* Takes the counts within one run of the set: if a handler has stopped it in between, which moves what they
 * begin at, they are taken again. */
static int count_now(const struct kernel_group *group, struct counter_reading *now, uint64_t *count,
                     struct reason *why)
{
    unsigned stops;
    int code;
    do {
        stops = group->stops;
        atomic_signal_fence(memory_order_seq_cst);
        bool together = read_together(group, now);
        code = PAPI_OK;
        for (int i = 0; i < group->base.n_counters && code == PAPI_OK; i++)
            code = look(group, i, together, now, &count[i], why);
        atomic_signal_fence(memory_order_seq_cst);
    } while (unlikely(stops != group->stops));
    return code;
}

int separate_read(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    struct counter_reading now[MAX_COUNTERS];
    uint64_t count[MAX_COUNTERS], origin[MAX_COUNTERS];
    group_take_base(from, base->n_counters, origin);
    int code = count_now(group, now, count, why);
    for (int i = 0; i < base->n_counters && code == PAPI_OK; i++)
        value[i] = note_seen(&group->seen[i], base->options.share, count[i]) - origin[i];
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

/* The first error is the one to report. */
int separate_stop(struct counter_group *base, struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    struct counter_reading now[MAX_COUNTERS];
    uint64_t *count = group->spare->count;
    group->stops++;
    int code = group_switch(group, sys_disable, why);
    memcpy(now, group->origin, sizeof now);
    bool together = read_together(group, now);
    for (int i = 0; i < base->n_counters; i++) {
        count[i] = group->seen[i];
        int next = look(group, i, together, now, &count[i], code == PAPI_OK ? why : NULL);
        if (next == PAPI_OK)
            count[i] = note_seen(&group->seen[i], base->options.share, count[i]);
        code = code ?: next;
        group->run[i] = run_between(&group->origin[i], &now[i]);
        move_origin(&group->origin[i], &now[i]);
    }
    group_keep(group, group->spare);
    memcpy(group->seen, count, sizeof group->seen);
    group->unread = code != PAPI_OK;
    return code;
}

int separate_begin_anew(struct kernel_group *group, struct reason *why)
{
    struct counter_reading now[MAX_COUNTERS];
    bool together = read_together(group, now);
    for (int i = 0; i < group->base.n_counters; i++) {
        int code = together ? PAPI_OK : read_alone(group, i, now, why);
        if (code != PAPI_OK)
            return code;
        move_origin(&group->origin[i], &now[i]);
    }
    group->unread = false;
    return PAPI_OK;
}

/* ---- what was missed */

/* Reads the counters and where their run began: if a handler has stopped the set in between, both once more.
 */
int separate_runs(const struct kernel_group *group, struct counter_reading *run, struct reason *why)
{
    int n = group->base.n_counters, code;
    unsigned stops;
    do {
        stops = group->stops;
        atomic_signal_fence(memory_order_seq_cst);
        bool together = read_together(group, run);
        code = PAPI_OK;
        for (int i = 0; i < n && code == PAPI_OK && !together; i++)
            code = read_alone(group, i, run, why);
        for (int i = 0; i < n && code == PAPI_OK; i++)
            run[i] = run_between(&group->origin[i], &run[i]);
        atomic_signal_fence(memory_order_seq_cst);
    } while (unlikely(stops != group->stops));
    return code;
}

int separate_times(const struct kernel_group *group, bool stopped, struct counted_time *time,
                   struct reason *why)
{
    struct counter_reading now[MAX_COUNTERS];
    const struct counter_reading *run = stopped ? group->run : now;
    int code = stopped ? PAPI_OK : separate_runs(group, now, why);
    for (int i = 0; i < group->base.n_counters && code == PAPI_OK; i++) {
        time[i].wanted += run[i].time_enabled;
        time[i].counted += run[i].time_running;
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
    memset(group->run, 0, sizeof group->run);
    if (count_now(group, now, count, NULL) != PAPI_OK)
        return;
    group->stops++;
    for (int i = 0; i < n; i++) {
        count[i] = count[i] < given[i] ? given[i] : count[i];
        group->seen[i] = count[i];
        group->run[i] = run_between(&group->origin[i], &now[i]); /* nothing, of a group that is stopped */
        move_origin(&group->origin[i], &now[i]);
    }
    group_keep(group, group->spare);
}
