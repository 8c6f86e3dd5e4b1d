/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/wrapper.h"

#include <string.h>

/* One main thread alone reads counters, and only where that is cheap. */
static inline int counts_inside(const struct thread_record *thread)
{
    const struct rank_record *record = papi_mpi.record;

    /* NULL: a call of another thread that MPI_Finalize did not wait for. */
    return record && __builtin_expect(record->counters_inside, 0) &&
           thread == rank_thread_at(record, record->main_thread);
}

struct thread_record *call_begin(enum call call)
{
    struct thread_record *thread = mpi_thread.record;

    if (mpi_thread.depth++ || !atomic_load_explicit(&papi_mpi.counting, memory_order_relaxed))
        return NULL;
    if (__builtin_expect(!thread, 0)) {
        thread = rank_thread();
        if (!thread)
            return NULL;
    }
    if (counts_inside(thread))
        rank_counters_enter();
    thread->inside = (int32_t)call;
    thread->since = clock_ticks();
    return thread;
}

void call_end(struct thread_record *thread, enum call call)
{
    struct call_totals *totals;
    uint64_t ticks, now;

    if (!thread)
        return;
    now = clock_ticks();
    ticks = now - thread->since;
    totals = &thread->call[call];
    totals->calls++;
    totals->ticks += ticks;
    if (ticks > totals->longest)
        totals->longest = ticks;
    thread->calls++;
    thread->mpi_ticks += ticks;
    thread->inside = -1;
    thread->since = now; /* the last that is known of a rank that is killed */
    if (counts_inside(thread))
        rank_counters_leave();
}

/* The fastest of some tries: a machine that does something else meanwhile is no cost of ours. */
static uint64_t fastest(void)
{
    enum { TRIES = 4, CALLS = 64 };
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < TRIES; i++) {
        uint64_t start = clock_ticks(), ticks;

        for (int k = 0; k < CALLS; k++) {
            call_end(call_begin(CALL_PCONTROL), CALL_PCONTROL);
            call_leave();
        }
        ticks = (clock_ticks() - start) / CALLS;
        least = ticks < least ? ticks : least;
    }
    return least;
}

/* What it counts meanwhile is taken away again: nothing else was counted so far. */
void call_measure(void)
{
    struct rank_record *record = papi_mpi.record;
    struct thread_record *thread = mpi_thread.record;
    int depth = mpi_thread.depth;

    if (!record || !thread || !atomic_load(&papi_mpi.counting))
        return;
    mpi_thread.depth = 0;
    record->overhead = fastest();
    mpi_thread.depth = depth;
    thread->call[CALL_PCONTROL] = (struct call_totals){0, 0, 0, 0};
    thread->calls = 0;
    thread->mpi_ticks = 0;
    memset(record->counter_mpi, 0, sizeof record->counter_mpi);
}
