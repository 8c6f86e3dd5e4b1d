/* SPDX-License-Identifier: BSD-3-Clause */
#include "team.h"

#include "base/likely.h"
#include "base/seconds.h"

#include <stdlib.h>
#include <string.h>

static uint64_t now(void)
{
    return nsec_of(CLOCK_MONOTONIC);
}

/* ---- the calling thread */

/* In the child of a fork, the parent's counters and regions are not the thread's any more. */
static struct openmp_thread *current(void)
{
    struct openmp_thread *thread = openmp_thread();
    uint32_t process = atomic_load_explicit(&openmp.process, memory_order_relaxed);
    if (unlikely(thread->process != process))
        *thread = (struct openmp_thread){.process = process};
    return thread;
}

/* The nanoseconds that it takes to look at the clock and the counters. */
static uint64_t measure_sample(struct openmp_thread *thread)
{
    enum { TIMES = 16 };
    int64_t count[MOST_COUNTS];
    uint64_t begin = now();
    for (int i = 0; i < TIMES; i++) {
        if (thread->counts.on)
            counts_read(&thread->counts, &openmp.plan, count);
        now();
    }
    return (now() - begin) / TIMES + 1;
}

static __attribute__((noinline)) void make_counters(struct openmp_thread *thread)
{
    uint64_t begin = now();
    pthread_mutex_lock(&openmp.lock);
    if (!openmp.plan.made)
        counts_plan(&openmp.plan);
    pthread_mutex_unlock(&openmp.lock);
    counts_start(&thread->counts, &openmp.plan);
    atomic_fetch_add(&openmp.threads, 1);
    if (figure(&openmp.sample) == 0)
        atomic_store(&openmp.sample, measure_sample(thread));
    thread->prepared = now();
    thread->preparing = thread->prepared - begin;
    if (pthread_equal(pthread_self(), openmp.first) && thread->depth == 0)
        figure_add(&openmp.outside, thread->preparing); /* the others wait for a region, or are in one */
}

void team_prepare(void)
{
    struct openmp_thread *thread = current();
    if (!thread->counts.tried)
        make_counters(thread);
}

/* Takes the time in which the thread made its counters out of that of an execution, where it was in it. */
static void note_preparing(struct openmp_thread *thread, const struct team *team, struct slot *slot)
{
    uint64_t inside = thread->prepared > team->begin ? thread->prepared - team->begin : 0;
    if (inside > 0)
        figure_add(&slot->prepared, inside < thread->preparing ? inside : thread->preparing);
    thread->prepared = 0;
}

/* ---- work and its counts */

/* The clock is read before the counters here and after them in settle: what they count is inside the time. */
static void begin_work(struct openmp_thread *thread)
{
    thread->works = true;
    thread->since = now();
    if (thread->counts.on)
        counts_read(&thread->counts, &openmp.plan, thread->at_begin);
    figure_add(&openmp.samples, 1);
}

static bool is_current(const struct frame *frame)
{
    return atomic_load_explicit(&frame->team->generation, memory_order_acquire) == frame->generation;
}

static void add_work(struct frame *frame, uint64_t ns, uint64_t end, bool counted, const int64_t *count)
{
    if (!is_current(frame))
        return;
    struct team *team = frame->team;
    uint64_t ended = end > team->begin ? end - team->begin : 0;
    figure_add(&team->ended, ended - frame->ended);
    figure_most(&team->last, ended);
    frame->ended = ended;
    frame->work += ns;
    figure_add(&frame->slot->work, ns);
    figure_most(&team->longest, frame->work);
    if (!counted)
        figure_add(&frame->slot->uncounted, ns);
    for (int i = 0; i < openmp.plan.n && counted; i++)
        atomic_fetch_add_explicit(&frame->slot->count[i], count[i], memory_order_relaxed);
}

/* Adds the work up to now to each region that the thread is in. */
static void settle(struct openmp_thread *thread)
{
    int64_t count[MOST_COUNTS];
    bool counted = thread->counts.on && counts_read(&thread->counts, &openmp.plan, count);
    uint64_t end = now();
    for (int i = 0; i < openmp.plan.n && counted; i++)
        count[i] -= thread->at_begin[i];
    for (int i = 0; i < thread->depth && thread->works; i++)
        add_work(&thread->frame[i], end - thread->since, end, counted, count);
    thread->works = false;
    thread->since = end;
    figure_add(&openmp.samples, 1);
}

/* ---- executions of regions */

static struct team *take_team(struct openmp_thread *thread)
{
    struct team *team = thread->free;
    if (team != NULL)
        thread->free = team->next;
    else
        team = calloc(1, sizeof *team);
    return team;
}

struct team *team_begin(const void *code)
{
    struct openmp_thread *thread = current();
    struct place *region = openmp.active ? place_find(PLACE_REGION, code, NULL) : NULL;
    struct team *team = region != NULL ? take_team(thread) : NULL;
    if (team == NULL)
        return NULL;
    if (!thread->counts.tried)
        make_counters(thread);
    if (thread->works) /* in a region around it, whose work to start threads is not */
        settle(thread);
    team->region = region;
    team->process = thread->process;
    team->nested = thread->depth > 0 || thread->too_deep > 0;
    atomic_store(&team->longest, 0);
    atomic_store(&team->ended, 0);
    atomic_store(&team->last, 0);
    atomic_store(&team->threads, 0);
    if (thread->depth > 0)
        atomic_store_explicit(&thread->frame[thread->depth - 1].region->around, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&openmp.open, 1, memory_order_relaxed);
    if (!team->nested && !pthread_equal(pthread_self(), openmp.first))
        atomic_store_explicit(&openmp.other_masters, 1, memory_order_relaxed);
    team->begin = now();
    return team;
}

/* Adds an execution to its region. */
static void add_execution(const struct team *team, uint64_t elapsed)
{
    struct place *region = team->region;
    int threads = atomic_load(&team->threads), most = atomic_load(&region->threads);
    figure_add(&region->calls, 1);
    figure_add(&region->elapsed, elapsed);
    figure_add(&region->capacity, elapsed * (uint64_t)threads);
    figure_add(&region->longest, figure(&team->longest) * (uint64_t)threads);
    uint64_t last = figure(&team->last) * (uint64_t)threads, ended = figure(&team->ended);
    figure_add(&region->uneven, last > ended ? last - ended : 0);
    if (team->nested)
        figure_add(&region->nested, 1);
    else
        figure_add(&openmp.outermost, elapsed);
    if (threads == 1)
        figure_add(&region->alone, 1);
    while (threads > most && !atomic_compare_exchange_weak(&region->threads, &most, threads))
        ;
}

void team_end(struct team *team)
{
    struct openmp_thread *thread = current();
    if (team == NULL || team->process != thread->process)
        return;
    add_execution(team, now() - team->begin);
    atomic_fetch_add_explicit(&openmp.open, -1, memory_order_relaxed);
    atomic_fetch_add_explicit(&team->generation, 1, memory_order_release);
    team->next = thread->free;
    thread->free = team;
    if (thread->depth > 0 && !thread->works && !thread->frame[thread->depth - 1].waits)
        begin_work(thread); /* in the region around it */
}

/* ---- threads in them */

struct frame *team_frame(void)
{
    struct openmp_thread *thread = current();
    return thread->depth > 0 ? &thread->frame[thread->depth - 1] : NULL;
}

struct frame *team_join(struct team *team, int number, int threads)
{
    struct openmp_thread *thread = current();
    struct slot *slot = team != NULL ? place_slot(team->region, number) : NULL;
    if (slot == NULL)
        return NULL;
    if (!thread->counts.tried)
        make_counters(thread);
    note_preparing(thread, team, slot);
    if (thread->works)
        settle(thread);
    if (thread->depth == MOST_DEPTH) {
        thread->too_deep++;
        figure_add(&openmp.deep, 1);
        begin_work(thread);
        return NULL;
    }
    if (threads > atomic_load_explicit(&team->threads, memory_order_relaxed))
        atomic_store(&team->threads, threads); /* all threads of a team say the same */
    figure_add(&slot->calls, 1);
    struct frame *frame = &thread->frame[thread->depth++];
    *frame = (struct frame){
        .team = team, .generation = atomic_load(&team->generation), .region = team->region, .slot = slot};
    begin_work(thread);
    return frame;
}

/* True if the frame is one of those that the thread has open. */
static bool is_open(const struct openmp_thread *thread, const struct frame *frame)
{
    return (uintptr_t)frame >= (uintptr_t)thread->frame &&
           (uintptr_t)frame < (uintptr_t)(thread->frame + thread->depth);
}

void team_leave(struct frame *frame)
{
    struct openmp_thread *thread = current();
    if (!is_open(thread, frame)) {
        thread->too_deep -= thread->too_deep > 0;
        return;
    }
    if (thread->works)
        settle(thread);
    thread->depth = (int)(frame - thread->frame);
}

/* ---- waiting */

static void begin_wait(struct openmp_thread *thread, struct place *at)
{
    if (thread->works)
        settle(thread);
    else
        thread->since = now();
    thread->at = at;
}

/* Adds the wait up to now to its place and to the region that the thread is in. */
static void add_wait(const struct openmp_thread *thread, bool ends)
{
    struct frame *frame = team_frame();
    uint64_t waited = now() - thread->since;
    if (frame == NULL || !is_current(frame))
        return;
    figure_add(&frame->slot->barriers, waited);
    if (thread->at == NULL)
        return;
    figure_add(&thread->at->waits, ends);
    figure_add(&thread->at->waited, waited);
    figure_most(&thread->at->most, waited);
}

void team_waits(struct frame *frame, enum place_kind kind, const void *code)
{
    struct openmp_thread *thread = current();
    const struct frame *innermost = team_frame();
    if (innermost == NULL || (frame != NULL && !is_open(thread, frame)))
        return;
    begin_wait(thread, place_find(kind, code, innermost->region));
    thread->at_of_task = thread->at;
    if (frame != NULL) {
        frame->waits = true;
        frame->at = thread->at;
    }
}

void team_works(struct frame *frame)
{
    struct openmp_thread *thread = current();
    if (team_frame() == NULL || thread->works ||
        (frame != NULL && (!is_open(thread, frame) || !frame->waits)))
        return;
    add_wait(thread, true);
    if (frame != NULL)
        frame->waits = false;
    begin_work(thread);
}

void team_task(struct frame *frame, bool waits)
{
    struct openmp_thread *thread = current();
    bool own = frame != NULL && is_open(thread, frame);
    if (team_frame() == NULL || (frame != NULL && !own))
        return;
    waits = own ? frame->waits : waits;
    if (waits && thread->works)
        begin_wait(thread, own ? frame->at : thread->at_of_task);
    if (waits || thread->works)
        return;
    add_wait(thread, false);
    begin_work(thread);
}

void team_has_tasks(void)
{
    struct openmp_thread *thread = current();
    for (int i = 0; i < thread->depth; i++)
        atomic_store_explicit(&thread->frame[i].region->tasks, 1, memory_order_relaxed);
}

/* ---- locks */

void team_locks(void)
{
    struct openmp_thread *thread = current();
    thread->lock_since = thread->depth > 0 && thread->works ? now() : 0;
}

void team_locked(const void *code)
{
    struct openmp_thread *thread = current();
    uint64_t waited = thread->lock_since != 0 ? now() - thread->lock_since : 0;
    if (thread->lock_since == 0 || thread->depth == 0)
        return;
    thread->lock_since = 0;
    for (int i = 0; i < thread->depth; i++)
        if (is_current(&thread->frame[i]))
            figure_add(&thread->frame[i].slot->locks, waited);
    struct place *place = place_find(PLACE_LOCK, code, team_frame()->region);
    if (place == NULL)
        return;
    figure_add(&place->waits, 1);
    figure_add(&place->waited, waited);
    figure_most(&place->most, waited);
}
