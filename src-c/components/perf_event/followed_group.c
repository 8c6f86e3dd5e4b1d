/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting each thread of a process by itself.
 *
 * Counters that are inherited are added up by the kernel, and nobody can take a thread's part out of the sum.
 * So here each thread has counters of its own, and so that a new one misses nothing, it is held before its
 * first instruction until they are open (follower.h). The list of threads belongs to whoever has the
 * follower's lock.
 */
#include "components/perf_event/followed_group.h"
#include "components/perf_event/follower.h"
#include "components/perf_event/holders.h"
#include "components/perf_event/process_group.h"
#include "components/perf_event/sum_group.h"
#include "papi.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct followed_thread {
    struct member member; /* without a group: it has ended, or the set has no event yet */
    int tid;
    int number; /* it may have become that of its process, by exec */
    bool ended;
    bool uncounted;                /* its counters could not be opened, or not started */
    uint64_t last[MAX_COUNTERS];   /* the member's */
    uint64_t origin[MAX_COUNTERS]; /* its counts when the set was started, or when it began */
};

struct followed_group {
    struct sum_group sum;      /* its members are threads */
    struct follower *follower; /* NULL: the set has no event yet */
    struct follower_user user;
    struct event_encoding event[MAX_COUNTERS];
    bool running;
    struct reason lost;                     /* why counts may be missing */
    struct counted_time past[MAX_COUNTERS]; /* of counters that were closed since the start */
};

static struct followed_group *followed_group(const struct counter_group *group)
{
    return (struct followed_group *)group;
}

/* ---- threads: with the lock */

static struct followed_thread *thread_of(const struct followed_group *group, int t)
{
    return (struct followed_thread *)group->sum.members.member[t];
}

static struct followed_thread *find_thread(struct followed_group *group, int number)
{
    for (int t = group->sum.members.n - 1; t >= 0; t--)
        if (thread_of(group, t)->number == number && !thread_of(group, t)->ended)
            return thread_of(group, t);
    return NULL;
}

/* Notes that something may be missing from now on; the first reason stays. */
static void note_loss(struct followed_group *group, const struct reason *why)
{
    if (group->lost.code == PAPI_OK)
        reason_set(&group->lost, PAPI_ECLOST, "%.400s", why->text);
}

static void close_counters(struct followed_group *group, struct followed_thread *thread)
{
    struct counter_group *counters = thread->member.group;
    if (counters == NULL)
        return;
    counters->ops->times(counters, true, group->past, NULL);
    thread->member.group = NULL;
    counters->ops->destroy(counters);
}

/* Opens the counters of a thread, in place of those that it has. */
static int open_counters(struct followed_group *group, struct followed_thread *thread, int n,
                         struct reason *why)
{
    const struct group_options *options = &group->sum.base.options;
    struct counter_group *counters = NULL;
    errno = 0;
    int code = thread->ended || n == 0
                   ? PAPI_OK
                   : process_member_open(options, thread->number, group->event, n, &counters, why);
    if (code == PAPI_ESYS && errno == EMFILE)
        code = process_no_descriptor(options, group->sum.members.n, n, why);
    if (code == PAPI_OK) {
        close_counters(group, thread);
        thread->member.group = counters;
        thread->uncounted &= counters == NULL;
    }
    return code;
}

static struct followed_thread *append_thread(struct followed_group *group, int tid, struct reason *why)
{
    struct followed_thread *thread =
        (struct followed_thread *)members_append(&group->sum.members, sizeof *thread, NULL);
    if (thread == NULL) {
        reason_set(why, PAPI_ENOMEM, "out of memory");
        return NULL;
    }
    thread->member.last = thread->last;
    thread->tid = thread->number = tid;
    return thread;
}

/* Takes the last counts of a thread that has ended. */
static void end_thread(struct followed_group *group, struct followed_thread *thread)
{
    struct reason why = {0};
    int code = PAPI_OK;
    struct counter_group *counters = thread->member.group;
    if (counters != NULL && group->running)
        code = counters->ops->stop(counters, &why);
    if (counters != NULL)
        memcpy(thread->last, counters->stopped, (size_t)group->sum.base.n_counters * sizeof *thread->last);
    if (code != PAPI_OK)
        note_loss(group, &why);
    close_counters(group, thread);
    thread->ended = true;
}

/* Gives a new thread its counters, and starts them. */
static void begin_thread(struct followed_group *group, int tid)
{
    struct reason why = {0};
    struct followed_thread *thread = append_thread(group, tid, &why);
    int n = group->sum.base.n_counters;
    int code = thread != NULL ? open_counters(group, thread, n, &why) : PAPI_ENOMEM;
    struct counter_group *counters = code == PAPI_OK ? thread->member.group : NULL;
    for (int i = 0; i < n && counters != NULL; i++) { /* what was counted while they were tried */
        thread->origin[i] = counters->stopped[i];
        group->sum.offset[i] -= counters->stopped[i];
    }
    if (counters != NULL && group->running)
        code = counters->ops->start(counters, &why);
    if (code != PAPI_OK && thread != NULL)
        thread->uncounted = true;
    if (code != PAPI_OK)
        note_loss(group, &why);
}

/* Goes on with new counters where exec has taken a thread's: the kernel does that for a program that runs
 * with other rights (setuid), or that its user may not read. The thread is held meanwhile. */
static void renew_counters(struct followed_group *group, struct followed_thread *thread)
{
    struct reason why = {0};
    struct counter_group *counters = thread->member.group;
    int n = group->sum.base.n_counters, code = PAPI_OK;
    uint64_t last[MAX_COUNTERS];
    if (group->running)
        code = counters->ops->stop(counters, &why);
    memcpy(last, counters->stopped, (size_t)n * sizeof *last);
    code = code ?: open_counters(group, thread, n, &why);
    counters = code == PAPI_OK ? thread->member.group : NULL;
    for (int i = 0; i < n && counters != NULL; i++) {
        uint64_t tried = counters->stopped[i];
        group->sum.offset[i] += last[i] - tried;
        thread->origin[i] += tried - last[i];
    }
    if (counters != NULL && group->running)
        code = counters->ops->start(counters, &why);
    if (code != PAPI_OK)
        note_loss(group, &why);
}

/* ---- what the follower tells */

static struct followed_group *group_of(struct follower_user *user)
{
    return (struct followed_group *)((char *)user - offsetof(struct followed_group, user));
}

static void born(struct follower_user *user, int tid)
{
    begin_thread(group_of(user), tid);
}

static void ended(struct follower_user *user, int tid)
{
    struct followed_thread *thread = find_thread(group_of(user), tid);
    if (thread != NULL)
        end_thread(group_of(user), thread);
}

static void became(struct follower_user *user, int former, int tid)
{
    struct followed_thread *thread = find_thread(group_of(user), former);
    if (thread != NULL)
        thread->number = tid;
}

static void executed(struct follower_user *user, int tid)
{
    struct followed_group *group = group_of(user);
    struct followed_thread *thread = find_thread(group, tid);
    struct counter_group *counters = thread != NULL ? thread->member.group : NULL;
    if (counters != NULL && counters->ops->target_ended(counters, ""))
        renew_counters(group, thread);
}

static void lost(struct follower_user *user, const struct reason *why)
{
    note_loss(group_of(user), why);
}

/* ---- the lock, which is the follower's */

/* False: the group has no follower, in the child of a fork. */
static bool lock(const struct followed_group *group, sigset_t *before)
{
    if (group->follower == NULL)
        return false;
    follower_lock(group->follower, before);
    return true;
}

static void unlock(const struct followed_group *group, const sigset_t *before)
{
    follower_unlock(group->follower, before);
}

static int has_no_follower(struct reason *why)
{
    return reason_set(why, PAPI_ECLOST, "the threads are followed by the parent of this process");
}

/* ---- the group's functions */

static int check_lost(struct sum_group *sum, struct reason *why)
{
    return reason_pass(&((struct followed_group *)sum)->lost, why);
}

static int read_process(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    struct followed_group *group = followed_group(base);
    sigset_t before;
    if (!lock(group, &before))
        return has_no_follower(why);
    int code = sum_read(base, from, value, why);
    unlock(group, &before);
    return code;
}

static int read_threads(struct counter_group *base, int room, long long *tid, long long *ended,
                        uint64_t *count, int *n, struct reason *why)
{
    struct followed_group *group = followed_group(base);
    int code = PAPI_OK;
    sigset_t before;
    if (!lock(group, &before))
        return has_no_follower(why);
    *n = group->sum.members.n;
    for (int t = 0; t < *n && t < room && code == PAPI_OK; t++) {
        const struct followed_thread *thread = thread_of(group, t);
        uint64_t now[MAX_COUNTERS], *own = count + (size_t)t * (size_t)base->n_counters;
        const uint64_t *counts;
        tid[t] = thread->tid;
        ended[t] = (thread->ended ? THREAD_ENDED : 0) | (thread->uncounted ? THREAD_UNCOUNTED : 0);
        code = member_counts(&thread->member, !group->running, now, &counts, why);
        for (int i = 0; i < base->n_counters && code == PAPI_OK; i++)
            own[i] = counts[i] - thread->origin[i];
    }
    code = code ?: reason_pass(&group->lost, why);
    unlock(group, &before);
    return code;
}

/* Puts threads that have ended, whose counts are in the sum for good, out of the list. */
static void forget_ended(struct followed_group *group)
{
    struct members *threads = &group->sum.members;
    int left = 0;
    for (int t = 0; t < threads->n; t++) {
        struct followed_thread *thread = thread_of(group, t);
        for (int i = 0; i < group->sum.base.n_counters && thread->ended; i++)
            group->sum.offset[i] += thread->last[i];
        if (thread->ended)
            member_close(&thread->member);
        else
            threads->member[left++] = &thread->member;
    }
    threads->n = left;
}

static int add_to_threads(struct followed_group *group, struct reason *why)
{
    int n = group->sum.base.n_counters, threads = group->sum.members.n, code = PAPI_OK, t = 0;
    for (; t < threads && code == PAPI_OK; t++)
        code = open_counters(group, thread_of(group, t), n + 1, why);
    for (int back = 0; back < t - 1 && code != PAPI_OK; back++)
        if (open_counters(group, thread_of(group, back), n, NULL) != PAPI_OK)
            note_loss(group, why);
    memset(group->past, 0, sizeof group->past);
    for (t = 0; t < threads; t++) {
        memset(thread_of(group, t)->last, 0, sizeof thread_of(group, t)->last);
        memset(thread_of(group, t)->origin, 0, sizeof thread_of(group, t)->origin);
    }
    if (code == PAPI_OK)
        sum_begin_counter(&group->sum);
    else
        sum_settle(&group->sum);
    return code;
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *event,
               uint64_t period, struct reason *why)
{
    struct followed_group *group = followed_group(base);
    sigset_t before;
    (void)root;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP,
                          "event sets that are attached to a process deliver no overflows");
    if (group->follower == NULL)
        group->follower = follower_join(base->options.target, base->options.tree, &group->user, why);
    if (group->follower == NULL)
        return why != NULL ? why->code : PAPI_ESYS;
    group->event[base->n_counters] = *event;
    lock(group, &before);
    int code = add_to_threads(group, why);
    unlock(group, &before);
    return code;
}

static int stop(struct counter_group *base, struct reason *why)
{
    struct followed_group *group = followed_group(base);
    sigset_t before;
    if (!lock(group, &before))
        return has_no_follower(why);
    int code = sum_stop(base, why);
    group->running = false;
    unlock(group, &before);
    return code;
}

static int start_threads(struct followed_group *group, struct reason *why)
{
    struct counter_group *base = &group->sum.base;
    forget_ended(group);
    if (group->sum.members.n == 0 || (!base->options.tree && !follower_runs(group->follower)))
        return reason_set(why, PAPI_ECLOST,
                          "process %d, to which the event set is attached, has ended; PAPI_detach, or attach "
                          "the set to another",
                          base->options.target);
    for (int t = 0; t < group->sum.members.n; t++) {
        const uint64_t *count;
        member_counts(&thread_of(group, t)->member, true, NULL, &count, NULL);
        memcpy(thread_of(group, t)->origin, count, (size_t)base->n_counters * sizeof *count);
        thread_of(group, t)->uncounted &= thread_of(group, t)->member.group == NULL;
    }
    memset(group->past, 0, sizeof group->past);
    int code = sum_start(base, why);
    group->running = code == PAPI_OK;
    return code;
}

static int start(struct counter_group *base, struct reason *why)
{
    struct followed_group *group = followed_group(base);
    sigset_t before;
    if (!lock(group, &before))
        return has_no_follower(why);
    int code = start_threads(group, why);
    unlock(group, &before);
    return code;
}

/* Nobody who has the lock can be interrupted by the handler that calls this. */
static void silence(const struct counter_group *base)
{
    const struct followed_group *group = followed_group(base);
    sigset_t before;
    if (!lock(group, &before))
        return;
    sum_silence(base);
    unlock(group, &before);
}

static int times(struct counter_group *base, bool stopped, struct counted_time *time, struct reason *why)
{
    struct followed_group *group = followed_group(base);
    sigset_t before;
    if (!lock(group, &before))
        return has_no_follower(why);
    int code = sum_times(base, stopped, time, why);
    for (int i = 0; i < base->n_counters; i++) {
        time[i].wanted += group->past[i].wanted;
        time[i].counted += group->past[i].counted;
    }
    unlock(group, &before);
    return code;
}

static int obtainable(struct counter_group *base, const char *root)
{
    struct followed_group *group = followed_group(base);
    sigset_t before;
    if (!lock(group, &before))
        return PAPI_OK;
    int code = sum_obtainable(base, root);
    unlock(group, &before);
    return code;
}

static bool target_ended(const struct counter_group *base, const char *root)
{
    const struct followed_group *group = followed_group(base);
    bool all_have = true;
    sigset_t before;
    (void)root;
    if (!lock(group, &before))
        return false;
    if (!base->options.tree && !follower_runs(group->follower)) {
        unlock(group, &before);
        return true;
    }
    for (int t = 0; t < group->sum.members.n && all_have; t++)
        all_have = thread_of(group, t)->ended;
    unlock(group, &before);
    return all_have;
}

static void destroy(struct counter_group *base)
{
    struct followed_group *group = followed_group(base);
    if (group->follower != NULL)
        follower_leave(group->follower, &group->user);
    members_close(&group->sum.members);
    free(group);
}

/* The child of a fork has no follower, whose list may be half changed: the descriptors alone are closed. */
static void abandon(struct counter_group *base)
{
    followed_group(base)->follower = NULL;
    sum_abandon(base);
}

static const struct group_ops operations = {.add = add,
                                            .start = start,
                                            .stop = stop,
                                            .silence = silence,
                                            .read_threads = read_threads,
                                            .destroy = destroy,
                                            .abandon = abandon,
                                            .target_ended = target_ended,
                                            .times = times,
                                            .obtainable = obtainable,
                                            .held = holders_reason};

struct counter_group *followed_group_create(const struct group_options *options)
{
    struct followed_group *group = sum_create(sizeof *group, options, &operations, check_lost);
    if (group == NULL)
        return NULL;
    group->sum.base.read = read_process;
    group->user = (struct follower_user){
        .born = born, .ended = ended, .became = became, .executed = executed, .lost = lost};
    return &group->sum.base;
}
