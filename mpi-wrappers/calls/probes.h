/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "mpi/mpi_now.h"

/* Waiting by reading a place in a window again and again, as for a lock or a flag of another rank: by
 * MPI_Fetch_and_op, MPI_Compare_and_swap, MPI_Get_accumulate or MPI_Get, and the flush or unlock that
 * completes it. If what came is what came the last time, from the same place, the calls are tests that failed
 * (rank/polling.h), and so is the next one that reads there. A counter that each call raises, or another
 * place, is no such test. Of each of these calls 0: it is a test that has failed. */

/* A call has begun to read; what comes will be at result. place: the displacement in the target's window. */
int probe_reads(const void *result, MPI_Count count, MPI_Datatype type, int target, MPI_Aint place,
                MPI_Win win);

/* A call has completed what this thread has read from the target, or, with PROBE_ALL, from all of them. */
enum { PROBE_ALL = -1000000000 };
int probe_completed(int target, MPI_Win win);

/* Another call for the window, such as MPI_Win_lock, which comes between them. */
int probe_between(MPI_Win win);
