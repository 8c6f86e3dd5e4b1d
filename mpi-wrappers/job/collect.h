/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/block.h"
#include "job/link.h"
#include "job/result_file.h"

/* ---- the job on rank 0 */

/* Data of the job's end, on every rank; its size does not depend on how many there are. All zero at first. */
struct collection {
    struct region_names regions,
        other_regions; /* of this rank and those below it in the tree; room to merge */
    struct site_names sites, other_sites;
    struct share_names shares, other_shares;
    struct meeting_names meetings, other_meetings;
    struct timeline_names timeline;
    struct block_names names;
    struct job_row row;                        /* of this rank */
    struct job_call row_call[CALL_COUNT];      /* its calls */
    struct job_region row_region[MAX_REGIONS]; /* its regions */
    uint64_t message[LINK_MESSAGE];
    struct job own, job; /* own: as regions; job: on rank 0 the result, on others what job_write_row needs */
};

/* Merges the records of all ranks into the job of rank 0; collective. to is NULL on a rank that is out of
 * memory, record on one that has none. Returns the same on all ranks: 0, or -1 if MPI failed or rank 0 has no
 * record. */
int collect(struct collection *to, const struct job_link *link, const struct rank_record *record,
            const char *complaint);

/* Writes the result file. Collective. On rank 0 place says where it is (PLACE_NONE: nowhere), and what went
 * wrong is among the complaints of settings. 1 on all ranks, or 0: a result was wanted and is not there. */
int result_write(const struct job_link *link, struct collection *from, struct settings *settings,
                 struct place *place);
