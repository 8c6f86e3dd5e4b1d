/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_BLOCK_H
#define PAPI_MPI_BLOCK_H

#include "job/job.h"
#include "record/settings.h"

/* From the records of ranks to a job: each makes a block of its record, the blocks are merged in any order,
 * the last one is the job. Blocks are of fixed size and hold integers alone, and merging is associative and
 * commutative to the last bit: MPI_Reduce, papi_mpi_report and a simulation come to the same. Nothing in
 * here knows MPI.
 *
 * A block has a place for each counter and region. What is in which place all must know before: the
 * counters are those of rank 0, the regions those of all ranks, which are merged first. */

/* The names of the regions of some ranks: the first ones in the order of the alphabet, as many as there are
 * places for. All zero: none. */
struct region_names {
    int32_t n;
    int32_t others; /* 1: there are more */
    char name[MAX_REGIONS - 1][REGION_NAME];
};

void region_names_of(struct region_names *names, const struct rank_record *record);
void region_names_merge(struct region_names *into, const struct region_names *from);

/* What is in which place. */
struct block_names {
    int32_t n_counters, counters_inside, n_regions;
    uint32_t node_counters; /* bit i: one value for each node, from its first rank */
    char counter_name[MAX_COUNTERS][COUNTER_NAME], counter_units[MAX_COUNTERS][16];
    char region_name[MAX_REGIONS][REGION_NAME]; /* sorted, but OTHER_REGIONS is the last one */
};

/* first: the record of rank 0; NULL: it has none, and no counters. */
void block_names_make(struct block_names *names, const struct rank_record *first,
                      const struct region_names *regions);

/* A sentence of a rank for rank 0 to print: that of the lowest rank that has one. */
struct block_complaint {
    uint64_t ranks; /* that have one */
    uint64_t rank;
    char text[COMPLAINT_LENGTH];
};

struct block {
    uint64_t present, unfinished, threads, multiplexed, different, lost, doubtful, paused_ns, overhead_ns,
        other_thread_calls, regions_left_out; /* the most of a rank */
    struct metric metric[METRIC_COUNT];
    struct job_call call[CALL_COUNT];
    uint64_t sent[SIZE_BUCKETS], collective[SIZE_BUCKETS];
    struct job_region region[MAX_REGIONS]; /* the names are in block_names alone */
    struct block_complaint complaint;
};

/* Sums of many ranks stop at the largest number: with what cannot go below zero this is associative. */
static inline void block_add(uint64_t *sum, uint64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = UINT64_MAX;
}

/* What a rank has done. members: the n_members ranks of its node, sorted. value[METRIC_NODE_USEFUL] is
 * ROW_NONE: the caller puts it in for the first rank of each node. A rank that did not come to MPI_Finalize
 * ended where record->end says, or else where its last call began. */
void row_of_record(struct job_row *row, const struct rank_record *record, const struct block_names *names,
                   const int *members, int n_members);

/* The block of one rank. All zero is the block of none: merging it changes nothing. */
void block_of_record(struct block *block, const struct rank_record *record, const struct block_names *names,
                     const struct job_row *row);
void block_merge(struct block *into, const struct block *from);

/* job is all zero but for what the ranks have in common: the caller fills in job, program, command, flavour,
 * host, started, ranks, nodes, thread_level, recovered and counter_reason, as job_identify does from the
 * record of rank 0. */
void job_identify(struct job *job, const struct rank_record *first);
void job_of_block(struct job *job, const struct block *block, const struct block_names *names);

#endif
