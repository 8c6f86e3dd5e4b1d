/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/teams.h"

#include "rank/between.h"

void teams_source(enum teams_source source)
{
    if (papi_mpi.record != NULL)
        atomic_store_explicit(&papi_mpi.record->teams.source, (int32_t)source, memory_order_relaxed);
}

static void add(_Atomic uint64_t *to, uint64_t ticks)
{
    atomic_fetch_add_explicit(to, ticks, memory_order_relaxed);
}

/* Counts the time until now as work of the thread. */
static void settle(struct team_thread *thread)
{
    struct rank_record *record = papi_mpi.record;
    uint64_t now = clock_ticks();
    if (thread->since != 0 && record != NULL && now > thread->since)
        add(&record->teams.work[thread->number], now - thread->since);
    thread->since = 0;
}

/* True if the thread's record, if it has one, is that of the main thread. */
static int is_main(void)
{
    return papi_mpi.main != NULL && mpi_thread.record == papi_mpi.main;
}

void teams_thread_begins(int number)
{
    struct team_thread *thread = &mpi_thread.team;
    if (number > 0 && !is_main()) /* until now, it waited for a region */
        between_waits();
    thread->inside = 1;
    thread->number = number < 0 ? 0 : number < MAX_TEAM ? number : MAX_TEAM - 1;
    thread->since = clock_ticks();
}

void teams_thread_waits(void)
{
    if (!mpi_thread.team.inside)
        return;
    settle(&mpi_thread.team);
    if (papi_mpi.record != NULL)
        between_update_own(papi_mpi.record);
}

void teams_thread_goes_on(void)
{
    if (!mpi_thread.team.inside)
        return;
    mpi_thread.team.since = clock_ticks();
    between_waits();
}

void teams_thread_ends(void)
{
    teams_thread_waits();
    mpi_thread.team.inside = 0;
}

static void note_threads(struct teams *teams, uint32_t threads)
{
    uint32_t most = atomic_load_explicit(&teams->threads, memory_order_relaxed);
    while (threads > most && !atomic_compare_exchange_weak_explicit(
                                 &teams->threads, &most, threads, memory_order_relaxed, memory_order_relaxed))
        ;
}

void teams_region(uint64_t since, int threads)
{
    struct rank_record *record = papi_mpi.record;
    uint64_t now = clock_ticks();
    if (record == NULL || threads < 1 || now < since)
        return;
    add(&record->teams.ticks, now - since);
    add(&record->teams.capacity, (now - since) * (uint64_t)threads);
    note_threads(&record->teams, (uint32_t)threads);
}

void teams_have_tasks(void)
{
    struct rank_record *record = papi_mpi.record;
    if (mpi_thread.team.inside && record != NULL)
        atomic_store_explicit(&record->teams.tasks, 1, memory_order_relaxed);
}
