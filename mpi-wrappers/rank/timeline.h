/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "rank/rank.h"

/* When in the course of the job the main thread was in which MPI call, in the rank's record. A call has
 * nothing to do for this until its end is beyond the bin that all calls since the last time were in: then
 * what they took is there, in the totals of calls. */

/* Begins anew: record->begin is the beginning of the first bin. */
void timeline_begin(struct rank_record *record);

/* The thread's call from since to now is in its totals, and goes beyond the bin. Nothing, if it is not the
 * main thread. */
void timeline_step(struct thread_record *thread, enum call call, uint64_t since, uint64_t now);

/* The last calls. */
void timeline_finish(struct rank_record *record);
