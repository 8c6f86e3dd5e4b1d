/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/rank_path.h"

#include "rank/rank.h"

#include <pthread.h>

/* The useful time of the main thread since MPI_Init, in ticks. Time between MPI_Pcontrol(0) and
 * MPI_Pcontrol(1) is left out. */
static uint64_t useful_ticks(const struct rank_record *record, const struct thread_record *thread,
                             uint64_t now)
{
    uint64_t paused_since = atomic_load(&record->paused_since);
    uint64_t end = paused_since != 0 ? paused_since : now;
    uint64_t without = record->begin + atomic_load(&record->paused) + thread->mpi_ticks;
    return end > without ? end - without : 0;
}

static uint32_t region_now(const struct rank_record *record, const struct thread_record *thread)
{
    return thread->n_open > 0 ? path_region(record->region_name[thread->open[thread->n_open - 1].region]) : 0;
}

void rank_path_advance(struct rank_record *record, uint64_t now)
{
    if (record->path_state == PATH_OFF || record->tick_hertz == 0)
        return;
    const struct thread_record *thread = record_thread_at(record, record->main_thread);
    uint64_t useful = useful_ticks(record, thread, now);
    if (useful <= record->path_useful)
        return;
    __extension__ unsigned __int128 ns = (unsigned __int128)(useful - record->path_useful) * 1000000000u;
    record->path_useful = useful;
    path_extend(&record->path, (uint64_t)(ns / record->tick_hertz), (uint32_t)record->rank,
                region_now(record, thread));
}

void rank_path_in_call(struct rank_record *record)
{
    const struct thread_record *thread = mpi_thread.record;
    if (record != NULL && thread != NULL && record_is_main(record, thread))
        rank_path_advance(record, thread->since);
}

void rank_path_region(struct rank_record *record)
{
    if (record->path_state == PATH_OFF)
        return;
    pthread_mutex_lock(&papi_mpi.path_lock);
    rank_path_advance(record, clock_ticks());
    pthread_mutex_unlock(&papi_mpi.path_lock);
}

void rank_path_meets(struct rank_record *record, const struct path *other)
{
    if (record == NULL || other->ns <= record->path.ns)
        return;
    uint64_t moves = other->moves + (other->rank != record->rank);
    record->path = *other;
    record->path.moves = moves;
    record->path.rank = record->rank;
}
