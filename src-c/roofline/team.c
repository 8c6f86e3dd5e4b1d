/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the cores and caches that may be used, and runs loops on them at the same time.
 *
 * A team has a thread on each of n cores, bound to it, whose arrays it touches first itself, so that they lie
 * in the memory near it. All threads start a measurement together, from a barrier, and its time is from the
 * first that begins to the last that ends: so the rate is what all cores reach together. As the barrier wakes
 * one after the other, each waits for the last without sleeping. A thread that had less processor time than
 * the time that passed was disturbed, and the caller is told. Only one hardware thread of each core is used,
 * since the second shares the units that are measured.
 */
#include "team.h"
#include "base/seconds.h"

#include <errno.h>
#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- cores and caches */

struct topology {
    hwloc_topology_t all;
    hwloc_cpuset_t usable; /* by this process */
};

/* ---- what there is */

static bool open_topology(struct topology *of)
{
    of->usable = hwloc_bitmap_alloc();
    if (of->usable == NULL || hwloc_topology_init(&of->all) != 0)
        return false;
    if (hwloc_topology_load(of->all) != 0)
        return false;
    /* taskset, and what a launcher bound this process to */
    if (hwloc_get_cpubind(of->all, of->usable, HWLOC_CPUBIND_PROCESS) != 0)
        hwloc_bitmap_copy(of->usable, hwloc_topology_get_allowed_cpuset(of->all));
    hwloc_bitmap_and(of->usable, of->usable, hwloc_topology_get_allowed_cpuset(of->all));
    return true;
}

/* Finds the first usable CPU of each core; where cores are not known, each CPU. */
static bool find_cores(struct cpus *cpus)
{
    const struct topology *of = cpus->of;
    int depth = hwloc_get_type_or_below_depth(of->all, HWLOC_OBJ_CORE);
    int most = (int)hwloc_get_nbobjs_by_depth(of->all, depth);
    cpus->cpu = calloc((size_t)most + 1, sizeof *cpus->cpu);
    for (int i = 0; i < most && cpus->cpu != NULL; i++) {
        hwloc_obj_t core = hwloc_get_obj_by_depth(of->all, depth, (unsigned)i);
        for (int cpu = hwloc_bitmap_first(core->cpuset); cpu >= 0; cpu = hwloc_bitmap_next(core->cpuset, cpu))
            if (hwloc_bitmap_isset(of->usable, (unsigned)cpu)) {
                cpus->cpu[cpus->n++] = cpu;
                break;
            }
    }
    return cpus->n > 0;
}

static int cores_below(const struct cpus *cpus, hwloc_obj_t object)
{
    int n = 0;
    for (int i = 0; i < cpus->n; i++)
        n += hwloc_bitmap_isset(object->cpuset, (unsigned)cpus->cpu[i]) != 0;
    return n;
}

static bool has_data(hwloc_obj_t object)
{
    return hwloc_obj_type_is_dcache(object->type);
}

static void count_caches(const struct cpus *cpus, struct cpus_cache *cache, hwloc_obj_t first)
{
    for (hwloc_obj_t one = hwloc_get_obj_by_depth(cpus->of->all, first->depth, 0); one != NULL;
         one = one->next_cousin) {
        int cores = cores_below(cpus, one);
        cache->count += cores > 0;
        cache->sharing = cores > cache->sharing ? cores : cache->sharing;
    }
}

/* Finds the caches of the first core, which stand for those of all. */
static void find_caches(struct cpus *cpus)
{
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(cpus->of->all, (unsigned)cpus->cpu[0]);
    for (; object != NULL && cpus->n_caches < CPUS_LEVELS; object = object->parent) {
        if (!has_data(object) || object->attr->cache.size == 0)
            continue;
        struct cpus_cache *cache = &cpus->cache[cpus->n_caches++];
        *cache = (struct cpus_cache){.level = (int)object->attr->cache.depth,
                                     .size = (long long)object->attr->cache.size,
                                     .line = (int)object->attr->cache.linesize};
        if (cache->line <= 0)
            cache->line = 64;
        count_caches(cpus, cache, object);
    }
}

const char *cpus_find(struct cpus *cpus)
{
    *cpus = (struct cpus){.of = calloc(1, sizeof(struct topology))};
    if (cpus->of == NULL)
        return "out of memory";
    if (!open_topology(cpus->of))
        return "hwloc does not find the processors of this machine";
    if (!find_cores(cpus))
        return "there is no processor that this process may use";
    find_caches(cpus);
    cpus->memory = (long long)hwloc_get_root_obj(cpus->of->all)->total_memory;
    return NULL;
}

void cpus_free(struct cpus *cpus)
{
    if (cpus->of != NULL && cpus->of->all != NULL)
        hwloc_topology_destroy(cpus->of->all);
    if (cpus->of != NULL)
        hwloc_bitmap_free(cpus->of->usable);
    free(cpus->of);
    free(cpus->cpu);
    *cpus = (struct cpus){.n = 0};
}

/* ---- its use */

bool cpus_bind(const struct cpus *cpus, int core)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    bool bound = set != NULL && hwloc_bitmap_set(set, (unsigned)cpus->cpu[core]) == 0 &&
                 hwloc_set_cpubind(cpus->of->all, set, HWLOC_CPUBIND_THREAD) == 0;
    hwloc_bitmap_free(set);
    return bound;
}

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

/* ---- workers */

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

/* Waits, without sleeping, until all threads of the team have passed the gate, which wakes one after the
 * other. */
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
        worker->begin = seconds_now();
        do_work(worker, team->work);
        worker->end = seconds_now();
        worker->busy += seconds_of(CLOCK_THREAD_CPUTIME_ID);
        pthread_barrier_wait(&team->gate);
    }
}

/* ---- all */

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
