/* SPDX-License-Identifier: BSD-3-Clause */
#include "team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Arrays begin at different places of the pages and of the rows of memory. */
enum { ALIGNMENT = 64, GAP = 5 * ALIGNMENT, MOST_ARRAYS = 3 };

struct worker {
    struct team *team;
    pthread_t thread;
    int core;
    char *block;
    bool failed, bound;
    double begin, end, busy; /* seconds */
};

struct team {
    const struct cpus *cpus;
    int n;
    size_t room;
    pthread_barrier_t gate; /* for the workers and who has them work */
    atomic_int ready;
    const struct team_work *work; /* NULL: the end */
    struct worker worker[];
};

size_t team_room(size_t bytes)
{
    size_t room = bytes + MOST_ARRAYS * GAP + PEAK_MEMORY;
    return (room + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ------------------------------------------------------------------------ workers */

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void get_memory(struct worker *worker)
{
    worker->block = aligned_alloc(ALIGNMENT, worker->team->room);
    worker->failed = worker->block == NULL;
    if (!worker->failed)
        for (size_t i = 0; i < worker->team->room / sizeof(double); i++)
            ((double *)(void *)worker->block)[i] = 1.0;
}

static void do_work(struct worker *worker, const struct team_work *work)
{
    size_t stride = (size_t)work->elements * sizeof(double) + GAP;
    double *array[MOST_ARRAYS];
    for (int i = 0; i < MOST_ARRAYS; i++)
        array[i] = (double *)(void *)(worker->block + (i < work->arrays ? (size_t)i : 0) * stride);
    if (work->stream != NULL)
        work->stream(array[0], array[1], array[2], work->elements, work->amount);
    else if (work->peak != NULL)
        work->peak->run(work->amount, worker->block + worker->team->room - PEAK_MEMORY);
    else
        clock_run(work->amount);
}

/* The gate wakes one after the other: they wait for the last without sleeping. */
static void wait_for_others(struct team *team)
{
    enum { PATIENCE = 1000 };
    atomic_fetch_add(&team->ready, 1);
    for (int i = 0; atomic_load(&team->ready) < team->n; i++)
        if (i > PATIENCE)
            sched_yield();
}

static void *live(void *data)
{
    struct worker *worker = data;
    struct team *team = worker->team;
    worker->bound = cpus_bind(team->cpus, worker->core);
    get_memory(worker);
    pthread_barrier_wait(&team->gate);
    for (;;) {
        pthread_barrier_wait(&team->gate);
        if (team->work == NULL)
            return NULL;
        wait_for_others(team);
        worker->busy = -seconds_of(CLOCK_THREAD_CPUTIME_ID);
        worker->begin = seconds_of(CLOCK_MONOTONIC);
        do_work(worker, team->work);
        worker->end = seconds_of(CLOCK_MONOTONIC);
        worker->busy += seconds_of(CLOCK_THREAD_CPUTIME_ID);
        pthread_barrier_wait(&team->gate);
    }
}

/* --------------------------------------------------------------------------- all */

static bool start(struct team *team)
{
    if (pthread_barrier_init(&team->gate, NULL, (unsigned)team->n + 1) != 0)
        return false;
    for (int i = 0; i < team->n; i++) {
        team->worker[i] = (struct worker){.team = team, .core = i};
        int error = pthread_create(&team->worker[i].thread, NULL, live, &team->worker[i]);
        if (error != 0) {
            while (i-- > 0) /* those before wait at the gate, and hold nothing else */
                pthread_cancel(team->worker[i].thread);
            errno = error;
            return false;
        }
    }
    pthread_barrier_wait(&team->gate);
    return true;
}

struct team *team_make(const struct cpus *cpus, int n, size_t room)
{
    struct team *team = calloc(1, sizeof *team + (size_t)n * sizeof team->worker[0]);
    if (team == NULL)
        return NULL;
    team->cpus = cpus;
    team->n = n;
    team->room = room;
    if (!start(team))
        return NULL; /* its threads may still look at it */
    for (int i = 0; i < n; i++)
        if (team->worker[i].failed) {
            team_end(team);
            errno = ENOMEM;
            return NULL;
        }
    return team;
}

double team_run(struct team *team, const struct team_work *work, bool *alone)
{
    const double nearly_all = 0.98;
    team->work = work;
    atomic_store(&team->ready, 0);
    pthread_barrier_wait(&team->gate);
    pthread_barrier_wait(&team->gate);
    double begin = team->worker[0].begin, end = team->worker[0].end;
    *alone = true;
    for (int i = 0; i < team->n; i++) {
        const struct worker *one = &team->worker[i];
        begin = one->begin < begin ? one->begin : begin;
        end = one->end > end ? one->end : end;
        *alone = *alone && one->busy >= nearly_all * (one->end - one->begin);
    }
    return end - begin;
}

bool team_is_bound(const struct team *team)
{
    bool bound = true;
    for (int i = 0; i < team->n; i++)
        bound = bound && team->worker[i].bound;
    return bound;
}

void team_end(struct team *team)
{
    if (team == NULL)
        return;
    team->work = NULL;
    pthread_barrier_wait(&team->gate);
    for (int i = 0; i < team->n; i++) {
        pthread_join(team->worker[i].thread, NULL);
        free(team->worker[i].block);
    }
    pthread_barrier_destroy(&team->gate);
    free(team);
}
