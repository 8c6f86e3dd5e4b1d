/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The thread that follows another process's threads.
 *
 * The lists of threads and users belong to whoever has the follower's lock; the list of followers, which is
 * kept as long as this process lives, to whoever has its own. The child of a fork has no follower: it makes a
 * list of its own.
 */
#include "components/perf_event/follower.h"
#include "base/array.h"
#include "base/seconds.h"
#include "base/signals.h"
#include "components/perf_event/kept.h"
#include "components/perf_event/tasks.h"
#include "components/perf_event/tracer.h"
#include "papi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 50 };                      /* the time in which the follower sees that it is to end */
static const double longest_attachment = 5; /* seconds */

enum stage { ATTACHING, ATTACHED, REFUSED };

struct follower {
    struct follower *next;
    int pid, n_users; /* n_users: the followers' lock */
    bool tree;
    pthread_mutex_t lock;
    struct follower_user *users;
    struct tasks threads; /* those that live */
    bool lost;            /* nobody follows any more */

    /* The thread's own. */
    pthread_t thread;
    struct process process;
    struct tracer *tracer;
    _Atomic int stage, quit;
    struct reason why;
};

struct followers {
    int owner; /* the process */
    pthread_mutex_t lock;
    struct follower *first;
};

void follower_lock(struct follower *follower, sigset_t *before)
{
    signals_block(before);
    pthread_mutex_lock(&follower->lock);
}

void follower_unlock(struct follower *follower, const sigset_t *before)
{
    pthread_mutex_unlock(&follower->lock);
    signals_restore(before);
}

bool follower_runs(const struct follower *follower)
{
    return process_lives(&follower->process);
}

/* ---- threads */

static int place_of(const struct follower *follower, int tid)
{
    for (int i = follower->threads.n - 1; i >= 0; i--)
        if (follower->threads.number[i] == tid)
            return i;
    return -1;
}

/* Takes the place of one that has ended, or a new one. */
static int append(struct follower *follower, int tid, struct reason *why)
{
    int place = place_of(follower, 0);
    if (place >= 0) {
        follower->threads.number[place] = tid;
        return PAPI_OK;
    }
    if (!ARRAY_GROW(follower->threads.number, follower->threads.n))
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    follower->threads.number[follower->threads.n++] = tid;
    return PAPI_OK;
}

static void tell_loss(struct follower *follower, const struct reason *why)
{
    follower->lost = true;
    for (struct follower_user *user = follower->users; user != NULL; user = user->next)
        user->lost(user, why);
}

static void begin_thread(struct follower *follower, int tid)
{
    struct reason why = {0};
    if (append(follower, tid, &why) != PAPI_OK)
        tell_loss(follower, &why);
    for (struct follower_user *user = follower->users; user != NULL; user = user->next)
        user->born(user, tid);
}

/* Leaves a 0 in the place of a thread: the list does not get shorter. */
static void end_thread(struct follower *follower, int place)
{
    int tid = follower->threads.number[place];
    follower->threads.number[place] = 0;
    for (struct follower_user *user = follower->users; user != NULL; user = user->next)
        user->ended(user, tid);
}

static void become(struct follower *follower, int former, int tid)
{
    int place = place_of(follower, former), first = place_of(follower, tid);
    if (former == tid)
        return;
    if (first >= 0)
        end_thread(follower, first);
    if (place < 0)
        return;
    follower->threads.number[place] = tid;
    for (struct follower_user *user = follower->users; user != NULL; user = user->next)
        user->became(user, former, tid);
}

static void execute(struct follower *follower, int tid)
{
    if (place_of(follower, tid) < 0)
        return;
    for (struct follower_user *user = follower->users; user != NULL; user = user->next)
        user->executed(user, tid);
}

static void take_event(struct follower *follower, const struct tracer_event *event)
{
    sigset_t before;
    follower_lock(follower, &before);
    int place = place_of(follower, event->tid);
    if (event->kind == TRACER_BORN && place < 0)
        begin_thread(follower, event->tid);
    if (event->kind == TRACER_ENDED && place >= 0)
        end_thread(follower, place);
    if (event->kind == TRACER_BECAME) {
        become(follower, event->former, event->tid);
        execute(follower, event->tid);
    }
    follower_unlock(follower, &before);
}

/* ---- attaching */

/* Follows a thread that is in the list of the process. One that another one has started is followed already.
 */
static int seize(struct follower *follower, int tid, struct reason *why)
{
    struct reason refusal = {0};
    int code = tracer_seize(follower->tracer, tid, &refusal);
    if (code == PAPI_EPERM && task_tracer(tid) == tracer_number(follower->tracer))
        code = PAPI_OK;
    if (code == PAPI_EINVAL || (code == PAPI_EPERM && task_has_ended(tid)))
        return PAPI_OK;
    return code == PAPI_OK ? append(follower, tid, why) : reason_pass(&refusal, why);
}

static int list_threads(const struct follower *follower, struct tasks *threads, struct reason *why)
{
    struct tasks processes = {0};
    int code = process_threads(&follower->process, threads, why);
    if (code == PAPI_OK && follower->tree)
        code = process_descendants(&follower->process, &processes, threads, why);
    tasks_free(&processes);
    return code;
}

/* Follows all threads of a list that are not followed yet. *more: there was one. */
static int seize_all(struct follower *follower, const struct tasks *threads, double deadline, bool *more,
                     struct reason *why)
{
    int code = PAPI_OK;
    *more = false;
    for (int i = 0; i < threads->n && code == PAPI_OK; i++)
        if (place_of(follower, threads->number[i]) < 0 && !task_has_ended(threads->number[i])) {
            *more = true;
            code = seize(follower, threads->number[i], why);
        }
    for (int i = 0; i < follower->threads.n && code == PAPI_OK && *more; i++)
        code = task_is_between_clones(follower->threads.number[i], deadline, why);
    return code;
}

/* Follows all threads: what they start from the moment on in which each was outside of clone is followed,
 * too, and what they have started before is in the list then. */
static int attach_all(struct follower *follower, struct reason *why)
{
    double deadline = seconds_now() + longest_attachment;
    bool more = true;
    int code = PAPI_OK;
    while (more && code == PAPI_OK) {
        struct tasks threads = {0};
        code = list_threads(follower, &threads, why) ?: seize_all(follower, &threads, deadline, &more, why);
        tasks_free(&threads);
        if (code == PAPI_OK && more && seconds_now() > deadline)
            code = reason_set(why, PAPI_ECNFLCT, "process %d starts threads faster than they can be followed",
                              follower->pid);
    }
    if (code == PAPI_OK && follower->threads.n == 0)
        code = reason_set(why, PAPI_EINVAL, "process %d has ended", follower->pid);
    return code;
}

/* ---- the follower */

static void serve(struct follower *follower)
{
    struct tracer_event event = {0};
    while (!atomic_load(&follower->quit) && event.kind != TRACER_OVER) {
        event = tracer_next(follower->tracer, LOOK_MS);
        if (event.kind != TRACER_NOTHING && event.kind != TRACER_OVER)
            take_event(follower, &event);
    }
}

/* Says so where somebody else has ended the tracer. */
static void check_tracer(struct follower *follower)
{
    static const struct reason ended = {.code = PAPI_ECLOST,
                                        .text = "somebody has ended the process that follows the threads"};
    sigset_t before;
    follower_lock(follower, &before);
    if (!tracer_lives(follower->tracer))
        tell_loss(follower, &ended);
    follower_unlock(follower, &before);
}

static void *follow(void *argument)
{
    static const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    struct follower *follower = argument;
    follower->tracer = tracer_make(&follower->why);
    int code = follower->tracer != NULL ? attach_all(follower, &follower->why) : follower->why.code;
    atomic_store(&follower->stage, code == PAPI_OK ? ATTACHED : REFUSED);
    if (code == PAPI_OK) {
        serve(follower);
        check_tracer(follower);
    }
    while (!atomic_load(&follower->quit)) /* until nobody asks any more */
        nanosleep(&pause, NULL);
    if (follower->tracer != NULL)
        tracer_end(follower->tracer);
    return NULL;
}

static void free_follower(struct follower *follower)
{
    process_forget(&follower->process);
    tasks_free(&follower->threads);
    pthread_mutex_destroy(&follower->lock);
    free(follower);
}

static void end_follower(struct follower *follower)
{
    atomic_store(&follower->quit, 1);
    pthread_join(follower->thread, NULL);
    free_follower(follower);
}

static int begin_follower(struct follower *follower, struct reason *why)
{
    static const struct timespec moment = {.tv_nsec = 100000};
    sigset_t before;
    int code = process_find(follower->pid, &follower->process, why);
    if (code != PAPI_OK)
        return code;
    signals_block(&before);
    code = pthread_create(&follower->thread, NULL, follow, follower);
    signals_restore(&before);
    if (code != 0)
        return reason_set(why, PAPI_ESYS, "no thread to follow others: %s", strerror(code));
    while (atomic_load(&follower->stage) == ATTACHING)
        nanosleep(&moment, NULL);
    return PAPI_OK;
}

static struct follower *make_follower(int pid, bool tree, struct reason *why)
{
    struct follower *follower = calloc(1, sizeof *follower);
    if (follower == NULL) {
        reason_set(why, PAPI_ENOMEM, "out of memory");
        return NULL;
    }
    follower->pid = pid;
    follower->tree = tree;
    pthread_mutex_init(&follower->lock, NULL);
    if (begin_follower(follower, why) != PAPI_OK) {
        free_follower(follower);
        return NULL;
    }
    if (atomic_load(&follower->stage) == ATTACHED)
        return follower;
    reason_pass(&follower->why, why);
    end_follower(follower);
    return NULL;
}

/* ---- users */

/* The list of this process's followers. NULL: no memory. */
static struct followers *own_followers(void)
{
    void *_Atomic *kept = perf_event_kept(KEPT_FOLLOWERS);
    struct followers *all = kept != NULL ? atomic_load(kept) : NULL;
    if (all != NULL && all->owner == getpid())
        return all;
    struct followers *fresh = kept != NULL ? calloc(1, sizeof *fresh) : NULL;
    if (fresh == NULL)
        return NULL;
    fresh->owner = getpid();
    pthread_mutex_init(&fresh->lock, NULL);
    void *seen = all;
    if (atomic_compare_exchange_strong(kept, &seen, fresh))
        return fresh;
    free(fresh);
    return seen;
}

static struct follower *find_follower(const struct followers *all, int pid, bool tree)
{
    for (struct follower *one = all->first; one != NULL; one = one->next)
        if (one->pid == pid && one->tree == tree && !one->lost && process_lives(&one->process))
            return one;
    return NULL;
}

static void welcome(struct follower *follower, struct follower_user *user)
{
    sigset_t before;
    follower_lock(follower, &before);
    for (int i = 0; i < follower->threads.n; i++)
        if (follower->threads.number[i] != 0)
            user->born(user, follower->threads.number[i]);
    user->next = follower->users;
    follower->users = user;
    follower_unlock(follower, &before);
}

struct follower *follower_join(int pid, bool tree, struct follower_user *user, struct reason *why)
{
    struct followers *all = own_followers();
    if (all == NULL) {
        reason_set(why, PAPI_ENOMEM, "out of memory");
        return NULL;
    }
    pthread_mutex_lock(&all->lock);
    struct follower *follower = find_follower(all, pid, tree);
    if (follower == NULL && (follower = make_follower(pid, tree, why)) != NULL) {
        follower->next = all->first;
        all->first = follower;
    }
    if (follower != NULL) {
        follower->n_users++;
        welcome(follower, user);
    }
    pthread_mutex_unlock(&all->lock);
    return follower;
}

static void take_out(struct followers *all, const struct follower *follower)
{
    struct follower **place = &all->first;
    while (*place != follower)
        place = &(*place)->next;
    *place = follower->next;
}

void follower_leave(struct follower *follower, struct follower_user *user)
{
    struct followers *all = own_followers();
    struct follower_user **place = &follower->users;
    sigset_t before;
    follower_lock(follower, &before);
    while (*place != user)
        place = &(*place)->next;
    *place = user->next;
    follower_unlock(follower, &before);
    pthread_mutex_lock(&all->lock);
    bool last = --follower->n_users == 0;
    if (last)
        take_out(all, follower);
    pthread_mutex_unlock(&all->lock);
    if (last)
        end_follower(follower);
}
