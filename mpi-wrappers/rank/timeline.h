/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "rank/rank.h"

/* The rank's timeline: when the main thread was in which MPI call, in the rank's record. A call has nothing
 * to do for this until its end is beyond the bin that all calls since the last time were in: then what they
 * took is there, in the totals of calls. */

/* Begins anew: record->begin is the beginning of the first bin. */
void timeline_begin(struct rank_record *record);

/* Notes a call from since to now that goes beyond the bin; it is in the thread's totals already. Nothing, if
 * that is not the main thread. */
void timeline_step(struct thread_record *thread, enum call call, uint64_t since, uint64_t now);

/* Adds the calls that no step has noted so far, at the end. */
void timeline_finish(struct rank_record *record);
