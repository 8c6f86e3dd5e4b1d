/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record.h"

/* The critical path as this rank knows it, in its record. The rank's useful time is that of its main thread;
 * what comes from other ranks, calls/carrier.c brings. All of it under papi_mpi.path_lock. */

/* The main thread's useful time until now is on the chain. In a call: until that began. Does nothing where
 * the path is not followed. */
void rank_path_advance(struct rank_record *record, uint64_t now);

/* The same as the first of an MPI call that is followed, by any thread: of those that are not the main one,
 * nothing is added. record: NULL where the rank has none, in the next but one, too. */
void rank_path_in_call(struct rank_record *record);

/* Adds the time until now to the region that was open, before a region of the main thread begins or ends. */
void rank_path_region(struct rank_record *record);

/* Another rank's chain, as it was when that rank sent it, meets this one's. */
void rank_path_meets(struct rank_record *record, const struct path *other);
