/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/collect.h"

struct call_ring;
struct rank_record;
struct rank_timeline;

/* Brings the last calls of all ranks to rank 0, and who waited for whom into its job. Collective, after
 * collect, where PAPI_MPI_TIMELINE is the same on all ranks. ticks and nsec: a moment by the clock of calls
 * and by CLOCK_MONOTONIC_RAW. record: NULL on a rank that has none. Returns the calls, which
 * timeline_put frees; NULL: this is another rank, or there is no memory, which settings say. */
struct rank_timeline *timeline_gather(const struct job_link *link, struct collection *collection,
                                      const struct rank_record *record, const struct call_ring *ring,
                                      uint64_t ticks, uint64_t nsec, struct settings *settings);

/* Rank 0 writes them beside the result. The file, or why there is none, is among what settings have to say.
 */
void timeline_put(struct rank_timeline *ranks, const struct job_link *link, const struct job *job,
                  struct settings *settings, const struct place *place);
