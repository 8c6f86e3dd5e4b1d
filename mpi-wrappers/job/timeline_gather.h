/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/link.h"
#include "job/result_file.h"

/* Brings the last calls of all ranks to rank 0, which writes them beside the result. Collective, after
 * rank_end, where PAPI_MPI_TIMELINE is the same on all ranks. ticks and nsec: a moment by the
 * clock of calls and by CLOCK_MONOTONIC_RAW. record: NULL on a rank that has none. On rank 0
 * the file, or why there is none, is among what settings have to say. */
struct call_ring;
struct rank_record;
void timeline_gather(const struct job_link *link, const struct rank_record *record,
                     const struct call_ring *ring, uint64_t ticks, uint64_t nsec, struct settings *settings,
                     const struct place *place);
