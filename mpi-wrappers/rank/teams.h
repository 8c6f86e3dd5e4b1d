/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "rank/rank.h"

/* Counts of OpenMP's threads in parallel regions, where PAPI_MPI_THREADS asks for them. A region that is
 * begun inside of another one is work of the thread that begins it. Called by the threads themselves. */

static inline int teams_are_counted(void)
{
    return unlikely(papi_mpi.settings.teams) &&
           atomic_load_explicit(&papi_mpi.counting, memory_order_relaxed);
}

/* Sets what counts them from now on: TEAMS_OMPT or TEAMS_GOMP. */
void teams_source(enum teams_source source);

/* A thread begins its part of a region, waits for the others of its team, goes on, and ends its part. number:
 * its place in the team. */
void teams_thread_begins(int number);
void teams_thread_waits(void);
void teams_thread_goes_on(void);
void teams_thread_ends(void);

/* Counts a whole region of threads that began at since, by clock_ticks(). */
void teams_region(uint64_t since, int threads);

/* Notes that the program has tasks: threads may run them while they seem to wait, which cannot be told
 * apart. */
void teams_have_tasks(void);
