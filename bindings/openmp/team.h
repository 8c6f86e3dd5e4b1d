/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "openmp.h"

/* What threads do in regions, as a runtime tells it, in whatever order: an end without its begin, and what
 * comes late, change nothing. Called by the threads themselves. */

/* Begins an execution of a region, by the thread that meets it. NULL: it is not recorded. code: the call
 * returns there; NULL: not known. */
struct team *team_begin(const void *code);

/* Ends it, by the same thread, which goes on with the work of the region around it. */
void team_end(struct team *team);

/* Makes the thread's counters, ahead of its first region. */
void team_prepare(void);

/* A thread takes part, with a number among so many. NULL: it is not recorded. The frame stays the thread's.
 */
struct frame *team_join(struct team *team, int number, int threads);

/* Its part ends, with those that began later in this thread. */
void team_leave(struct frame *frame);

/* The innermost part of the thread. NULL: it is in no region. */
struct frame *team_frame(void);

/* The thread waits at a place of a kind, and works again. What it waits for at the end of a region ends with
 * team_leave.
 *   frame  whose own task waits; NULL: it is another task of the thread */
void team_waits(struct frame *frame, enum place_kind kind, const void *code);
void team_works(struct frame *frame);

/* The thread has another task in hand.
 *   frame  whose own task that is, of which is known whether it waits; NULL: another one */
void team_task(struct frame *frame, bool waits);

/* Notes that threads may run tasks, unseen, where they seem to wait. */
void team_has_tasks(void);

/* The thread waits for a lock, and has it. */
void team_locks(void);
void team_locked(const void *code);
