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
#include "base/array.h"
#include "components/perf_event/follower.h"
#include "components/perf_event/process_group.h"
#include "papi.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct followed_thread {
    int tid;
    int number; /* it may have become that of its process, by exec */
    bool ended;
    struct counter_group *member; /* NULL: it has ended, or the set has no event yet */
    uint64_t *count;              /* where there is no member: its last counts; then the bases of both */
};

struct followed_group {
    struct counter_group base;
    struct follower *follower; /* NULL: the set has no event yet */
    struct follower_user user;
    struct event_encoding event[MAX_COUNTERS];
    int n_threads;
    struct followed_thread *thread;
    bool running;
    struct reason lost;              /* why counts may be missing */
    uint64_t offset[MAX_COUNTERS];   /* of threads that have ended before the last start, and of trials */
    uint64_t count[2][MAX_COUNTERS]; /* of the last stop, and of the one before */
};

static struct followed_group *followed_group(const struct counter_group *group)
{
    return (struct followed_group *)group;
}

/* ---- threads: with the lock */

static const uint64_t zero[MAX_COUNTERS];

static struct followed_thread *find_thread(struct followed_group *group, int number)
{
    for (int i = group->n_threads - 1; i >= 0; i--)
        if (group->thread[i].number == number && !group->thread[i].ended)
            return &group->thread[i];
    return NULL;
}

/* Notes that something may be missing from now on; the first reason stays. */
static void note_loss(struct followed_group *group, const struct reason *why)
{
    if (group->lost.code == PAPI_OK)
        reason_set(&group->lost, PAPI_ECLOST, "%.400s", why->text);
}

/* Opens the counters of a thread, in place of those that it has. */
static int open_counters(struct followed_group *group, struct followed_thread *thread, int n,
                         struct reason *why)
{
    struct counter_group *member = NULL;
    errno = 0;
    int code = thread->ended || n == 0
                   ? PAPI_OK
                   : process_member_open(&group->base.options, thread->number, group->event, n, &member, why);
    if (code == PAPI_ESYS && errno == EMFILE)
        code = process_no_descriptor(&group->base.options, group->n_threads, n, why);
    if (code == PAPI_OK && thread->member != NULL)
        thread->member->ops->destroy(thread->member);
    if (code == PAPI_OK)
        thread->member = member;
    return code;
}

static struct followed_thread *append_thread(struct followed_group *group, int tid, struct reason *why)
{
    struct followed_thread thread = {.tid = tid, .number = tid};
    thread.count = calloc(2 * MAX_COUNTERS, sizeof *thread.count);
    if (thread.count == NULL || !ARRAY_GROW(group->thread, group->n_threads)) {
        free(thread.count);
        reason_set(why, PAPI_ENOMEM, "out of memory");
        return NULL;
    }
    group->thread[group->n_threads] = thread;
    return &group->thread[group->n_threads++];
}

static uint64_t *base_of(const struct followed_thread *thread)
{
    return thread->count + MAX_COUNTERS;
}

/* The counts of a thread. */
static int counts_of(const struct followed_group *group, const struct followed_thread *thread, bool stopped,
                     uint64_t *count, struct reason *why)
{
    size_t size = (size_t)group->base.n_counters * sizeof *count;
    if (thread->member == NULL)
        memcpy(count, thread->count, size);
    else if (stopped)
        memcpy(count, thread->member->stopped, size);
    else
        return thread->member->read(thread->member, zero, count, why);
    return PAPI_OK;
}

static void close_member(struct followed_thread *thread)
{
    if (thread->member != NULL)
        thread->member->ops->destroy(thread->member);
    thread->member = NULL;
}

/* Takes the last counts of a thread that has ended. */
static void end_thread(struct followed_group *group, struct followed_thread *thread)
{
    struct reason why = {0};
    int code = PAPI_OK;
    if (thread->member != NULL && group->running)
        code = thread->member->ops->stop(thread->member, &why);
    if (thread->member != NULL)
        counts_of(group, thread, true, thread->count, NULL);
    if (code != PAPI_OK)
        note_loss(group, &why);
    close_member(thread);
    thread->ended = true;
}

/* Gives a new thread its counters, and starts them. */
static void begin_thread(struct followed_group *group, int tid)
{
    struct reason why = {0};
    struct followed_thread *thread = append_thread(group, tid, &why);
    int n = group->base.n_counters;
    int code = thread != NULL ? open_counters(group, thread, n, &why) : PAPI_ENOMEM;
    if (code == PAPI_OK && thread->member != NULL) {
        memcpy(base_of(thread), thread->member->stopped, (size_t)n * sizeof(uint64_t));
        for (int i = 0; i < n; i++) /* what was counted while they were tried */
            group->offset[i] -= thread->member->stopped[i];
        if (group->running)
            code = thread->member->ops->start(thread->member, &why);
    }
    if (code != PAPI_OK)
        note_loss(group, &why);
}

/* Goes on with new counters where exec has taken a thread's: the kernel does that for a program that runs
 * with other rights (setuid), or that its user may not read. The thread is held meanwhile. */
static void renew_counters(struct followed_group *group, struct followed_thread *thread)
{
    struct reason why = {0};
    int n = group->base.n_counters, code = PAPI_OK;
    uint64_t last[MAX_COUNTERS];
    if (group->running)
        code = thread->member->ops->stop(thread->member, &why);
    memcpy(last, thread->member->stopped, (size_t)n * sizeof *last);
    code = code ?: open_counters(group, thread, n, &why);
    if (code == PAPI_OK && thread->member != NULL) {
        const uint64_t *tried = thread->member->stopped;
        for (int i = 0; i < n; i++) {
            group->offset[i] += last[i] - tried[i];
            base_of(thread)[i] += tried[i] - last[i];
        }
        if (group->running)
            code = thread->member->ops->start(thread->member, &why);
    }
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
    struct counter_group *member = thread != NULL ? thread->member : NULL;
    if (member != NULL && member->ops->target_ended(member, ""))
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

/* Adds up the counts of all threads. The first error is the one to report. */
static int sum_threads(struct followed_group *group, bool stopped, uint64_t *sum, struct reason *why)
{
    int first = PAPI_OK, n = group->base.n_counters;
    memcpy(sum, group->offset, (size_t)n * sizeof *sum);
    for (int t = 0; t < group->n_threads; t++) {
        uint64_t count[MAX_COUNTERS];
        int code = counts_of(group, &group->thread[t], stopped, count, first == PAPI_OK ? why : NULL);
        first = first ?: code;
        for (int i = 0; i < n && code == PAPI_OK; i++)
            sum[i] += count[i];
    }
    return first ?: reason_pass(&group->lost, why);
}

static bool has_counts(int code)
{
    return code == PAPI_OK || code == PAPI_ECLOST;
}

static int read_process(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    struct followed_group *group = followed_group(base);
    uint64_t sum[MAX_COUNTERS], origin[MAX_COUNTERS];
    sigset_t before;
    if (!lock(group, &before)) /* no handler moves the base then */
        return has_no_follower(why);
    memcpy(origin, from, sizeof *origin * (size_t)base->n_counters);
    int code = sum_threads(group, false, sum, why);
    unlock(group, &before);
    for (int i = 0; i < base->n_counters && has_counts(code); i++)
        value[i] = sum[i] - origin[i];
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
    *n = group->n_threads;
    for (int t = 0; t < group->n_threads && t < room && code == PAPI_OK; t++) {
        const struct followed_thread *thread = &group->thread[t];
        uint64_t *own = count + (size_t)t * (size_t)base->n_counters;
        tid[t] = thread->tid;
        ended[t] = thread->ended;
        code = counts_of(group, thread, !group->running, own, why);
        for (int i = 0; i < base->n_counters && code == PAPI_OK; i++)
            own[i] -= base_of(thread)[i];
    }
    code = code ?: reason_pass(&group->lost, why);
    unlock(group, &before);
    return code;
}

/* Puts threads that have ended, whose counts are in the sum for good, out of the list. */
static void forget_ended(struct followed_group *group)
{
    int left = 0;
    for (int t = 0; t < group->n_threads; t++) {
        struct followed_thread *thread = &group->thread[t];
        for (int i = 0; i < group->base.n_counters && thread->ended; i++)
            group->offset[i] += thread->count[i];
        if (thread->ended)
            free(thread->count);
        else
            group->thread[left++] = *thread;
    }
    group->n_threads = left;
    if (left == 0) {
        free(group->thread);
        group->thread = NULL;
        return;
    }
    size_t room = 1; /* as base/array.h has it */
    while (room < (size_t)left)
        room *= 2;
    struct followed_thread *fits = reallocarray(group->thread, room, sizeof *fits);
    group->thread = fits != NULL ? fits : group->thread;
}

/* The sum goes on from where it was. */
static void settle_sum(struct followed_group *group)
{
    uint64_t now[MAX_COUNTERS];
    sum_threads(group, true, now, NULL);
    for (int i = 0; i < group->base.n_counters; i++)
        group->offset[i] += group->base.stopped[i] - now[i];
}

static int add_to_threads(struct followed_group *group, struct reason *why)
{
    int n = group->base.n_counters, code = PAPI_OK, t = 0;
    for (; t < group->n_threads && code == PAPI_OK; t++)
        code = open_counters(group, &group->thread[t], n + 1, why);
    for (int back = 0; back < t - 1 && code != PAPI_OK; back++)
        if (open_counters(group, &group->thread[back], n, NULL) != PAPI_OK)
            note_loss(group, why);
    group->base.n_counters = code == PAPI_OK ? n + 1 : n;
    for (int i = 0; i < group->n_threads; i++)
        memset(group->thread[i].count, 0, 2 * MAX_COUNTERS * sizeof(uint64_t));
    return code;
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *event,
               uint64_t period, struct reason *why)
{
    struct followed_group *group = followed_group(base);
    int n = base->n_counters;
    sigset_t before;
    (void)root;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP,
                          "event sets that are attached to a process deliver no overflows");
    if (group->follower == NULL)
        group->follower = follower_join(base->options.target, base->options.tree, &group->user, why);
    if (group->follower == NULL)
        return why != NULL ? why->code : PAPI_ESYS;
    group->event[n] = *event;
    group->offset[n] = group->count[0][n] = group->count[1][n] = 0;
    lock(group, &before);
    int code = add_to_threads(group, why);
    settle_sum(group);
    unlock(group, &before);
    return code;
}

static int stop_threads(struct followed_group *group, struct reason *why)
{
    uint64_t *spare = group->base.stopped == group->count[0] ? group->count[1] : group->count[0];
    int first = PAPI_OK;
    for (int t = 0; t < group->n_threads; t++) {
        struct counter_group *member = group->thread[t].member;
        int code = member != NULL ? member->ops->stop(member, first == PAPI_OK ? why : NULL) : PAPI_OK;
        first = first ?: code;
    }
    group->running = false;
    int summed = sum_threads(group, true, spare, first == PAPI_OK ? why : NULL);
    group->base.stopped = spare;
    return first ?: summed;
}

static int stop(struct counter_group *base, struct reason *why)
{
    struct followed_group *group = followed_group(base);
    sigset_t before;
    if (!lock(group, &before))
        return has_no_follower(why);
    int code = stop_threads(group, why);
    unlock(group, &before);
    return code;
}

static int start_threads(struct followed_group *group, struct reason *why)
{
    int code = PAPI_OK;
    forget_ended(group);
    if (group->n_threads == 0 || (!group->base.options.tree && !follower_runs(group->follower)))
        return reason_set(why, PAPI_ECLOST,
                          "process %d, to which the event set is attached, has ended; PAPI_detach, or attach "
                          "the set to another",
                          group->base.options.target);
    for (int t = 0; t < group->n_threads && code == PAPI_OK; t++) {
        struct counter_group *member = group->thread[t].member;
        counts_of(group, &group->thread[t], true, base_of(&group->thread[t]), NULL);
        if (member != NULL)
            code = member->ops->start(member, why);
    }
    group->running = true;
    if (code != PAPI_OK)
        stop_threads(group, NULL);
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
    for (int t = 0; t < group->n_threads; t++)
        if (group->thread[t].member != NULL)
            group->thread[t].member->ops->silence(group->thread[t].member);
    unlock(group, &before);
}

static bool target_ended(const struct counter_group *base, const char *root)
{
    const struct followed_group *group = followed_group(base);
    bool all_have = true;
    sigset_t before;
    (void)root;
    if (!lock(group, &before))
        return false;
    if (!group->base.options.tree && !follower_runs(group->follower)) {
        unlock(group, &before);
        return true;
    }
    for (int t = 0; t < group->n_threads && all_have; t++)
        all_have = group->thread[t].ended;
    unlock(group, &before);
    return all_have;
}

static void free_threads(struct followed_group *group)
{
    for (int t = 0; t < group->n_threads; t++) {
        close_member(&group->thread[t]);
        free(group->thread[t].count);
    }
    free(group->thread);
}

static void destroy(struct counter_group *base)
{
    struct followed_group *group = followed_group(base);
    if (group->follower != NULL)
        follower_leave(group->follower, &group->user);
    free_threads(group);
    free(group);
}

/* The child of a fork has no follower, whose list may be half changed: the descriptors alone are closed. */
static void abandon(struct counter_group *base)
{
    struct followed_group *group = followed_group(base);
    group->follower = NULL;
    for (int t = 0; t < group->n_threads; t++)
        if (group->thread[t].member != NULL)
            group->thread[t].member->ops->abandon(group->thread[t].member);
}

static const struct group_ops operations = {.add = add,
                                            .start = start,
                                            .stop = stop,
                                            .silence = silence,
                                            .read_threads = read_threads,
                                            .destroy = destroy,
                                            .abandon = abandon,
                                            .target_ended = target_ended};

struct counter_group *followed_group_create(const struct group_options *options)
{
    struct followed_group *group = calloc(1, sizeof *group);
    if (group == NULL)
        return NULL;
    group->base.ops = &operations;
    group->base.options = *options;
    group->base.read = read_process;
    group->base.accum = accum_takes_a_read;
    group->base.stopped = group->count[0];
    group->user = (struct follower_user){
        .born = born, .ended = ended, .became = became, .executed = executed, .lost = lost};
    return &group->base;
}
