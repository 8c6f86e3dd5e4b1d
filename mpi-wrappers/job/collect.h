/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/block.h"
#include "job/result_file.h"
#include "mpi/mpi_now.h"

/* ---- the way to the other ranks */

/* The way of a rank to the others, from job_begin to job_end: communicators of the library's own, made before
 * the program can put attributes on MPI_COMM_WORLD or use up what there is of communicators. An error in them
 * comes back as a code. */
struct job_link {
    MPI_Comm all, node;
    int rank, ranks;        /* of all */
    int world, worlds;      /* the same of all ranks of the job, where others have no library */
    int node_number, nodes; /* nodes count from 0, in order of their first ranks */
    int node_rank, node_ranks;
    int processors;       /* that one or the other of them may use; 0: cannot be said */
    int *members;         /* the ranks of MPI_COMM_WORLD on this node, sorted: node_ranks of them */
    char directory[4096]; /* the working directory when the job began; "": not known */
};

/* The ranks that have the library: world, which has all of the job, or a communicator that the caller frees
 * without those n that are absent. Collective over them. MPI_COMM_NULL: MPI failed. */
MPI_Comm link_meet(MPI_Comm world, const int *absent, int n);

/* NULL: no memory on this rank. */
struct job_link *link_make(void);
/* Collective over what link_meet has returned, where all ranks have made theirs. 0, or -1 on all: MPI failed,
 * or a rank is out of memory. */
int link_connect(struct job_link *link, MPI_Comm meeting, MPI_Comm world);
void link_free(struct job_link *link);

/* PMPI_Ibcast and its like with these arguments, which are waited for: ranks that share a processor give it
 * to each other, where an MPI would have each of them look for messages for as long as it may. Its code. */
#define LINK_WAIT(function, ...)                                                                             \
    __extension__({                                                                                          \
        MPI_Request waited_for;                                                                              \
        int begun = function(__VA_ARGS__, &waited_for);                                                      \
        link_wait(begun, &waited_for);                                                                       \
    })
int link_wait(int begun, MPI_Request *request);

/* The smallest of all ranks' numbers, on all of them; 0 where MPI fails. */
int link_least(const struct job_link *link, int mine);

/* ---- the job on rank 0 */

/* Data of the job's end, on every rank; its size does not depend on how many there are. */
struct collection {
    struct region_names own_regions, regions;
    struct site_names own_sites, sites;
    struct share_names own_shares, shares;
    struct meeting_names own_meetings, meetings;
    struct timeline_names own_timeline, timeline;
    struct block_names names;
    struct job_row row;                   /* of this rank */
    struct job_call row_call[CALL_COUNT]; /* its calls */
    struct job own, job; /* of this rank; rank 0: the result; others: what job_write_row needs of it */
};

/* Merges the records of all ranks into the job of rank 0; collective. to is NULL on a rank that is out of
 * memory, record on one that has none. Returns the same on all ranks: 0, or -1 if MPI failed or rank 0 has no
 * record. */
int collect(struct collection *to, const struct job_link *link, const struct rank_record *record,
            const char *complaint);

/* Writes the result file. Collective. On rank 0 place says where it is (PLACE_NONE: nowhere), and what went
 * wrong is among the complaints of settings. 1 on all ranks, or 0: a result was wanted and is not there. */
int result_write(const struct job_link *link, const struct collection *from, struct settings *settings,
                 struct place *place);
