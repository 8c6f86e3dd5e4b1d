/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/block.h"
#include "job/job.h"
#include "record/record.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The end of the ranks of a job of which only records are left, or that still runs, and what they waited for.
 */

/* Moments are nanoseconds since 1970; 0: not known. */
struct ending_facts {
    int64_t latest;   /* the last one that any record knows of */
    int64_t launcher; /* when the launcher had ended */
    bool signalled;   /* a signal ended a rank: the launcher ends the others with it, or right after */
};

/* Takes the last moment of a record. runs: 0, or the process that has it. */
void ending_learn(struct ending_facts *facts, struct rank_record *record, pid_t runs);

/* Sets the end of a rank that has none: that of the signal, now, or what is known of it. Then adds the calls
 * that its threads are in to their totals, and closes its regions. */
void ending_close(struct rank_record *record, pid_t runs, const struct ending_facts *facts);

/* Calls that the threads of all ranks were in: filled in rank by rank, and looked at together. All zero:
 * none. */
struct ending_group;
struct endings {
    int n, failed; /* failed: out of memory */
    struct job_open *open;
    struct ending_group *group; /* who else has to be in the same call, for each of open */
};

/* Adds the threads of a rank, after ending_close; names are the job's. */
void ending_add(struct endings *endings, const struct rank_record *record, pid_t runs,
                const struct ending_facts *facts, const struct block_names *names);

/* Finds who waits for whom, and gives all of it to the job. */
void ending_finish(struct endings *endings, struct job *job);
