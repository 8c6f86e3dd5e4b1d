/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting whole processes.
 *
 * Each thread that a process has gets a kernel group of its own (its member), which inherits: the kernel
 * gives a copy to whatever the thread starts from then on, and to what that starts, and keeps the counts of
 * what has ended. The sum over all members misses nothing and has nothing twice if two things hold when they
 * have been opened: every thread has a member or inherits from one, and none does both. A thread that was
 * made while members were being opened may do neither, or both, or have a part of the events. So after the
 * last one was opened each thread is waited for until it is outside of clone (tasks.h), and then the process
 * must have no thread, and no child, that it had not before; else all is opened anew. What comes later
 * inherits. An event that is added needs all of that again, since threads that have been started meanwhile
 * lack it: the members are opened anew with all events.
 */
#include "components/perf_event/process_group.h"
#include "base/seconds.h"
#include "base/task_stat.h"
#include "components/perf_event/holders.h"
#include "components/perf_event/perf_group.h"
#include "components/perf_event/sum_group.h"
#include "components/perf_event/tasks.h"
#include "papi.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

/* The time for which a process is waited for that starts threads all the time. */
static const double longest_opening = 5;

struct process_group {
    struct sum_group sum;
    struct process process;
    struct event_encoding event[MAX_COUNTERS];
};

static struct process_group *process_group(const struct counter_group *group)
{
    return (struct process_group *)group;
}

/* ---- members */

int process_no_descriptor(const struct group_options *options, int threads, int events, struct reason *why)
{
    struct rlimit limit = {0};
    bool reader = !options->threads && !options->multiplex && events > 1; /* separate_open_reader */
    getrlimit(RLIMIT_NOFILE, &limit);
    return reason_set(why, PAPI_ESYS,
                      "no file descriptor is free: %d threads with %d events take %d, and the limit is %llu "
                      "(ulimit -n; without the rights of root it can be raised up to %llu)",
                      threads, events, threads * (events + reader), (unsigned long long)limit.rlim_cur,
                      (unsigned long long)limit.rlim_max);
}

int process_member_open(const struct group_options *options, int tid, const struct event_encoding *event,
                        int n, struct counter_group **opened, struct reason *why)
{
    struct group_options own = *options;
    own.target = tid;
    own.begin = task_begin(tid);
    own.inherit = !options->threads;
    own.summed = sum_estimates(options);
    struct counter_group *member = group_create(&own, false);
    int code = member != NULL ? PAPI_OK : reason_set(why, PAPI_ENOMEM, "out of memory");
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = member->ops->add(member, "", &event[i], 0, why);
    if (code != PAPI_OK && member != NULL) {
        member->ops->destroy(member);
        member = NULL;
    }
    *opened = member;
    return code == PAPI_EINVAL ? PAPI_OK : code;
}

static int open_members(const struct process_group *group, const struct tasks *threads, int n,
                        struct members *members, struct reason *why)
{
    const struct group_options *options = &group->sum.base.options;
    int code = PAPI_OK;
    for (int i = 0; i < threads->n && code == PAPI_OK; i++) {
        struct counter_group *member;
        errno = 0;
        code = process_member_open(options, threads->number[i], group->event, n, &member, why);
        if (member != NULL && members_append(members, sizeof(struct member), member) == NULL)
            return reason_set(why, PAPI_ENOMEM, "out of memory");
    }
    return code == PAPI_ESYS && errno == EMFILE ? process_no_descriptor(options, threads->n, n, why) : code;
}

/* The threads that need members, and the processes that need none but tell that there may be new ones. */
struct census {
    struct tasks threads, others;
};

static int take_census(const struct process_group *group, struct census *census, struct reason *why)
{
    bool tree = group->sum.base.options.tree;
    int code =
        process_threads(&group->process, &census->threads, why)
            ?: process_descendants(&group->process, &census->others, tree ? &census->threads : NULL, why);
    tasks_sort(&census->threads);
    tasks_sort(&census->others);
    return code;
}

static void free_census(struct census *census)
{
    tasks_free(&census->threads);
    tasks_free(&census->others);
}

static int target_of(const struct member *member)
{
    return member->group->options.target;
}

/* Waits until each thread is outside of clone. */
static int wait_for_clones(const struct members *members, double deadline, struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < members->n && code == PAPI_OK; i++)
        code = task_is_between_clones(target_of(members->member[i]), deadline, why);
    return code;
}

/* Closes the members of threads that have ended meanwhile: their numbers may have been another's when they
 * were opened. */
static void drop_ended(struct members *members, const struct tasks *threads)
{
    int left = 0;
    for (int i = 0; i < members->n; i++)
        if (tasks_have(threads, target_of(members->member[i])))
            members->member[left++] = members->member[i];
        else
            member_close(members->member[i]);
    members->n = left;
}

/* Tells, after members were opened, if that was for all threads: there is no other one, and no process that
 * may be counted in part. Those of threads that have ended are closed. */
static int check_whole(const struct process_group *group, const struct census *before, double deadline,
                       struct members *members, bool *whole, struct reason *why)
{
    struct census after = {0};
    int code = wait_for_clones(members, deadline, why) ?: take_census(group, &after, why);
    *whole = code == PAPI_OK && !tasks_have_more(&after.threads, &before->threads) &&
             !tasks_have_more(&after.others, &before->others);
    if (*whole)
        drop_ended(members, &after.threads);
    free_census(&after);
    if (*whole && members->n == 0)
        return reason_set(why, PAPI_EINVAL, "process %d has ended", group->process.pid);
    return code;
}

static int try_members(const struct process_group *group, int n, double deadline, struct members *members,
                       bool *whole, struct reason *why)
{
    struct census before = {0};
    int code = take_census(group, &before, why) ?: open_members(group, &before.threads, n, members, why);
    code = code ?: check_whole(group, &before, deadline, members, whole, why);
    free_census(&before);
    return code;
}

/* Opens members until they are for all threads. A thread that has just started another one may refuse its
 * next event, as the kernel has exchanged the counters of the two: that is believed only if it stays so. */
static int open_whole(const struct process_group *group, int n, struct members *members, struct reason *why)
{
    enum { MOST_REFUSALS = 8 };
    double deadline = seconds_now() + longest_opening;
    bool whole = false;
    int code = PAPI_OK;
    for (int refusals = 0; code == PAPI_OK && !whole;) {
        members_close(members);
        if (seconds_now() > deadline)
            return reason_set(why, PAPI_ECNFLCT,
                              "process %d starts threads or processes so fast that it cannot be told which "
                              "of them are counted; try again when it does less of that",
                              group->process.pid);
        code = try_members(group, n, deadline, members, &whole, why);
        if (code == PAPI_ECNFLCT && ++refusals < MOST_REFUSALS)
            code = PAPI_OK;
    }
    if (code != PAPI_OK)
        members_close(members);
    return code;
}

/* ---- the group's functions */

/* Takes new members in place of those that there are. */
static void exchange_members(struct members *members, const struct members *fresh)
{
    struct members old = *members;
    members->n = 0; /* a handler may look at them meanwhile */
    atomic_signal_fence(memory_order_seq_cst);
    members->member = fresh->member;
    atomic_signal_fence(memory_order_seq_cst);
    members->n = fresh->n;
    members_close(&old);
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *event,
               uint64_t period, struct reason *why)
{
    struct process_group *group = process_group(base);
    struct members fresh = {0};
    int n = base->n_counters;
    (void)root;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP,
                          "event sets that are attached to a process deliver no overflows");
    if (group->process.folder < 0) {
        int found = process_find(base->options.target, &group->process, why);
        if (found != PAPI_OK)
            return found;
    }
    group->event[n] = *event;
    int code = open_whole(group, n + 1, &fresh, why);
    if (code != PAPI_OK)
        return code;
    exchange_members(&group->sum.members, &fresh);
    sum_begin_counter(&group->sum);
    return PAPI_OK;
}

/* True if the process lives or, of a tree, one of those that it had started before. */
static bool target_lives(const struct process_group *group)
{
    bool lives = process_lives(&group->process);
    for (int i = 0; i < group->sum.members.n && group->sum.base.options.tree && !lives; i++) {
        const struct counter_group *member = group->sum.members.member[i]->group;
        bool same = task_begin(member->options.target) == member->options.begin; /* not one of its number */
        lives = same && !member->ops->target_ended(member, "");
    }
    return lives;
}

static int start(struct counter_group *base, struct reason *why)
{
    if (!target_lives(process_group(base)))
        return reason_set(why, PAPI_ECLOST,
                          "process %d, to which the event set is attached, has ended; PAPI_detach, or attach "
                          "the set to another",
                          base->options.target);
    return sum_start(base, why);
}

static bool target_ended(const struct counter_group *base, const char *root)
{
    (void)root;
    return base->n_counters > 0 && !target_lives(process_group(base));
}

static void destroy(struct counter_group *base)
{
    struct process_group *group = process_group(base);
    members_close(&group->sum.members);
    process_forget(&group->process);
    free(group);
}

static void abandon(struct counter_group *base)
{
    sum_abandon(base);
    process_forget(&process_group(base)->process);
}

static const struct group_ops operations = {.add = add,
                                            .start = start,
                                            .stop = sum_stop,
                                            .silence = sum_silence,
                                            .destroy = destroy,
                                            .abandon = abandon,
                                            .target_ended = target_ended,
                                            .renew = sum_renew,
                                            .times = sum_times,
                                            .obtainable = sum_obtainable,
                                            .held = holders_reason};

struct counter_group *process_group_create(const struct group_options *options)
{
    struct process_group *group = sum_create(sizeof *group, options, &operations, NULL);
    if (group == NULL)
        return NULL;
    group->process.folder = -1;
    return &group->sum.base;
}

/* The first thread that has not ended tells. */
int process_group_check(const struct group_options *options, struct reason *why)
{
    struct process process;
    struct tasks threads = {0};
    struct group_options one = *options;
    int code = process_find(options->target, &process, why);
    if (code != PAPI_OK)
        return code;
    code = process_threads(&process, &threads, why);
    int tried = PAPI_EINVAL;
    for (int i = 0; i < threads.n && code == PAPI_OK && tried == PAPI_EINVAL; i++) {
        one.target = threads.number[i];
        one.inherit = true;
        tried = sys_try("", &one, -1, why);
    }
    if (code == PAPI_OK && tried == PAPI_EINVAL)
        tried = reason_set(why, PAPI_EINVAL, "process %d has ended", options->target);
    tasks_free(&threads);
    process_forget(&process);
    return code ?: tried;
}
