/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"
#include "record/record.h"

/* Makes a job of the records of ranks. Each rank makes a block of its record, a job of one rank without what
 * all ranks have in common; the blocks are merged in any order, and the last one is the job. Blocks are of
 * fixed size, and merging is associative and commutative to the last bit: MPI_Reduce, papi_mpi_report and a
 * simulation come to the same. Nothing in here knows MPI.
 *
 * A block has a place for each counter and region. All must know before which place is whose: the counters
 * are those of rank 0, the regions those of all ranks, which are merged first. */

/* The names of the regions of some ranks: the first ones in the order of the alphabet, as many as there are
 * places for. All zero: none. */
struct region_names {
    int32_t n;
    int32_t others; /* 1: there are more */
    char name[MAX_REGIONS - 1][REGION_NAME];
};

void region_names_of(struct region_names *names, const struct rank_record *record);
void region_names_merge(struct region_names *into, const struct region_names *from);

/* The call sites of some ranks: those in which a rank spent most time, as many as there are places for, in
 * the order of their keys. Where they are more, those that are left are the same in whatever order ranks are
 * merged: what is left out of some ranks is left out of all. All zero: none. */
struct site_key {
    uint64_t object;  /* a hash of what its object is; 0: none is known */
    uint64_t address; /* as the object's file has it */
    int32_t call, reserved;
    uint64_t most; /* ticks of the rank that has most, in nanoseconds */
};

struct site_object_key {
    uint64_t object, most;
    struct job_object is;
};

struct site_names {
    int32_t n, n_objects;
    struct site_key key[MAX_JOB_SITES];
    struct site_object_key object[MAX_JOB_OBJECTS];
};

void site_names_of(struct site_names *names, const struct rank_record *record);
void site_names_merge(struct site_names *into, const struct site_names *from);

/* The routines of some ranks that do not count themselves: those in which a rank has most samples, which is
 * what the number is, in the order of their names. As with call sites, what is left out of some ranks is left
 * out of all. All zero: none. */
struct share_names {
    int32_t n, reserved;
    struct share_row row[MAX_SHARES];
};

void share_names_of(struct share_names *names, const struct rank_record *record);
void share_names_merge(struct share_names *into, const struct share_names *from);

/* The shortest time of a rank in each of the calls in which all wait for the last one (struct meetings), of
 * those that were kept. All zero: no rank's. */
enum { MEETINGS_NONE, MEETINGS_AGREE, MEETINGS_DIFFER };
struct meeting_names {
    uint64_t state, n, order, kept;
    uint64_t least[MEETINGS]; /* nanoseconds */
};

void meeting_names_of(struct meeting_names *names, const struct rank_record *record);
void meeting_names_merge(struct meeting_names *into, const struct meeting_names *from);
/* Puts how long a rank waited for the last ones into its block. */
void block_add_meetings(struct job *block, const struct rank_record *record,
                        const struct meeting_names *names);

/* The elapsed time of the longest rank, and the most time that a main thread spent in each call, at least 1
 * where any thread made it: whole numbers of 64 bits alone, so that MPI itself can merge them. */
struct timeline_names {
    uint64_t elapsed, most[CALL_COUNT]; /* nanoseconds */
};

void timeline_names_of(struct timeline_names *names, const struct rank_record *record);
void timeline_names_merge(struct timeline_names *into, const struct timeline_names *from);
void timeline_choose(struct job_timeline_places *places, const struct timeline_names *names);

/* Contents of the places. */
struct block_names {
    int32_t ranks, n_counters, counters_inside, n_regions;
    uint32_t node_counters; /* bit i: one value for each node, from its first rank */
    char counter_name[MAX_COUNTERS][COUNTER_NAME], counter_units[MAX_COUNTERS][16];
    char formulas[FORMULAS_ROOM];
    char region_name[MAX_REGIONS][REGION_NAME]; /* sorted, but OTHER_REGIONS is the last one */
    int32_t sites_mode, teams;
    int32_t matrix_by, matrix_n;
    struct site_names sites;
    struct share_names shares;
    struct meeting_names meetings;
    struct job_timeline_places timeline;
    uint8_t called[CALL_COUNT]; /* the calls that any rank made */
    int32_t timed;              /* any rank has times of calls */
};

/* Facts that ranks find out together before. */
struct block_common {
    const struct region_names *regions;
    const struct site_names *sites;
    const struct share_names *shares;
    const struct meeting_names *meetings;
    const struct timeline_names *timeline;
    bool regular; /* block_is_regular of all ranks */
    bool timed;   /* any of them has times of calls */
};

/* first: the record of rank 0; NULL: it has none, and no counters. */
void block_names_make(struct block_names *names, const struct rank_record *first,
                      const struct block_common *common);

/* A rank's node is where it is if all nodes have as many ranks, one after the other. */
static inline bool block_is_regular(int rank, int ranks, int node, int nodes)
{
    return node == (int64_t)rank * nodes / ranks;
}

/* Puts a rank's timeline into its block. */
void block_add_timeline(struct job *block, const struct rank_record *record,
                        const struct job_timeline_places *places);
void block_merge_timeline(struct job *into, const struct job *from);

/* Puts a rank's messages to each other one, and the sizes of its calls, into its block. */
void block_add_messages(struct job *block, const struct rank_record *record, const struct block_names *names);
void block_merge_messages(struct job *into, const struct job *from);

/* Puts what a rank's devices did into its block, and into that of a region, which it numbers so. */
void block_add_devices(struct job *block, const struct rank_record *record);
void block_add_region_devices(struct job_region *region, const struct rank_record *record, int at);
void block_merge_devices(struct job *into, const struct job *from);

/* Puts how long a rank's calls took into its block. Of more calls than there are places for, the first ones
 * are kept, in whatever order they come. */
void block_add_times(struct job *block, const struct rank_record *record);
void block_merge_times(struct job_times into[MAX_TIMED], const struct job_times from[MAX_TIMED]);

/* Puts a rank's calls by communicator into its block. */
void block_add_comms(struct job *block, const struct rank_record *record);
void block_merge_comms(struct job *into, const struct job *from);
/* A rank may have several that are in no row: it is one of the others' ranks for each. */
void block_limit_comms(struct job *job);

/* Puts what a rank did at the job's sites into its block. */
void block_add_sites(struct job *block, const struct rank_record *record, const struct site_names *names);
/* The place of a rank's site among the job's; -1: it has none. */
int block_site_place(const struct site_names *names, const struct rank_record *record,
                     const struct call_site *site);
/* Puts how much of a rank is counted into its block, and the names into the job. */
void block_add_share(struct job *block, const struct rank_record *record, const struct share_names *names);
void block_merge_share(struct job_share *into, const struct job_share *from);
void block_name_share(struct job_share *share, const struct share_names *names);
/* Puts the sites' names into the job. */
void block_name_sites(struct job *job, const struct site_names *names);

/* Sums of many ranks stop at the largest number: with what cannot go below zero this is associative. */
static inline void block_add(uint64_t *sum, uint64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = UINT64_MAX;
}

static inline uint64_t block_nanoseconds(const struct rank_record *record, uint64_t ticks)
{
    if (record->tick_hertz == 0)
        return 0;
    uint128 ns = (uint128)ticks * 1000000000u / record->tick_hertz;
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* Times of which the efficiencies of a rank's regions are made: those of the main thread; those of all
 * threads that call MPI while the main one is there; or, where others enter regions themselves, of each
 * thread that does its own. */
enum region_times { TIMES_MAIN, TIMES_MEANWHILE, TIMES_OWN };
enum region_times block_region_times(const struct rank_record *record, bool of_threads);

/* Adds a thread's totals to a region as far as these times are made of them. has_main: the main thread was
 * there. */
void block_add_thread(struct job_region *region, const struct rank_record *record,
                      const struct thread_record *thread, const struct region_totals *totals,
                      enum region_times times, bool has_main);

/* Time of a rank, of its main thread or of all threads that call MPI, in nanoseconds: useful, in MPI, all. */
struct rank_times {
    uint64_t useful, mpi, all, blocked;
};
struct rank_times block_times(const struct rank_record *record, uint64_t until, bool of_threads);

/* Hertz of the processors while the rank ran on them; 0: not known. */
uint64_t block_frequency(const struct rank_record *record);

/* Sums over the rows of a node's ranks, of which node_figures makes the figures of the node, in the row of
 * its first rank. They are whole numbers, so that MPI itself can merge them. */
struct node_sums {
    uint64_t ranks, useful, memory, measured, frequency; /* measured: ranks that have a frequency */
};
void node_add(struct node_sums *sums, const struct job_row *row);
void node_figures(const struct node_sums *sums, struct job_row *first);

/* The same of the regions, by their places: sums over a node's ranks whose main threads were there, of which
 * the mean becomes node_useful_ns in the block of the first of them. */
struct node_regions {
    uint64_t ranks[MAX_REGIONS], useful[MAX_REGIONS];
};
void node_add_regions(struct node_regions *sums, const struct job_region *region, int n);
void node_region_figures(const struct node_regions *sums, struct job_region *region, int n);

/* Fills in the row of a rank. members: the n_members ranks of its node, sorted. Figures of the node are
 * ROW_NONE: node_figures puts them in for the first rank of each node. A rank that did not come to
 * MPI_Finalize ended where record->end says, or else where its last call began. */
void row_of_record(struct job_row *row, const struct rank_record *record, const struct block_names *names,
                   const int *members, int n_members);

/* The place of a call in a region, found or made. NULL: there is none, as all are taken by calls before it.
 * The one that is pushed out is the last one, in whatever order they come. */
struct job_region_call *block_region_call(struct job *job, uint64_t key);
/* Adds a rank's calls inside of one of its regions, whose place in the job is known. */
void block_add_region_calls(struct job *block, const struct rank_record *record, int at, int place);
void block_merge_region_calls(struct job *into, const struct job *from);

/* Fills in the block of a rank, which is all zero before. A block of zeroes is that of no rank: merging it
 * changes nothing. */
void block_of_record(struct job *block, const struct rank_record *record, const struct block_names *names,
                     const struct job_row *row);
void block_merge(struct job *into, const struct job *from);
/* The same of a block without its last member, the times of calls: so that they need not be sent where there
 * are none. */
void block_merge_figures(struct job *into, const struct job *from);

/* Merges what job_fields and their like say of these; empty: nothing was merged into it so far. */
void block_merge_fields(void *into, const void *from, const struct job_field *field, bool empty);

/* Complete the last block to the job: job_identify with what the ranks have in common, which is that of rank
 * 0; job_name with the names. The caller fills in recovered and the rows. */
void job_identify(struct job *job, const struct rank_record *first);
void job_name(struct job *job, const struct block_names *names);

/* The ranks that a rank sent to, those of all its threads. A thread keeps as many as there is room for here,
 * and says what it sent to others. */
struct partners {
    int n, more; /* more: there are ranks that are not here */
    struct peer peer[MAX_PEERS];
};

void partners_of(struct partners *partners, const struct rank_record *record);
