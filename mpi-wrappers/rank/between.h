/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "rank/rank.h"

#include <stdint.h>

/* Work of threads between their MPI calls. Where several threads may call MPI, from MPI_THREAD_SERIALIZED on,
 * a thread need not work where it is not in MPI: it may wait for others in a join or for a lock. A thread
 * that calls MPI works outside of its calls while it has a processor, or could use one that others have, and
 * does not where it blocks.
 *
 * The kernel is asked at the beginning and at the end of a call, if that was last done more than 200 us ago,
 * so that calls that come one after the other cost little: what is between are long gaps, of which both ends
 * are known, and short calls, which are taken not to block. Whether a call that took longer blocked is not
 * known: the short gaps before it are taken for work. */

/* Begins to measure the calling thread, at its first call or, the main one, when counting begins. Nothing, as
 * with all of these, where record->measured is 0. */
void between_begin(struct rank_record *record, struct thread_record *thread);

/* The thread ends. */
void between_end(struct thread_record *thread);

/* A call ended, which took so long; one begins. */
void between_call_ended(struct thread_record *thread, uint64_t took, uint64_t now);
void between_call_begins(struct thread_record *thread);

/* Ticks before the call that began at begin, which rank/polling.c calls MPI time afterwards. */
void between_waited(struct thread_record *thread, uint64_t ticks, uint64_t begin);

/* Brings the figures of the calling thread up to date; where that is the main one, those of all that run. */
void between_update(struct rank_record *record);
/* The same of the calling thread alone. */
void between_update_own(struct rank_record *record);

/* The time of the calling thread since the last reading was no work: it waited, or was left out. */
void between_waits(void);
