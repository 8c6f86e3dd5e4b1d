/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "mpi/mpi_now.h"

#include <stdint.h>

/* The way of a rank to the others, from job_begin to job_end: communicators of the library's own, made before
 * the program can put attributes on MPI_COMM_WORLD or use up what there is of communicators. An error in them
 * comes back as a code. */
struct job_link {
    MPI_Comm all;
    uint64_t launcher;
    int rank, ranks;        /* of all */
    int world, worlds;      /* the same of all ranks of the job, where others have no library */
    int node_number, nodes; /* nodes count from 0, in order of their first ranks */
    int node_rank, node_ranks;
    int processors;         /* that one or the other of them may use; 0: cannot be said */
    int *members;           /* the ranks of MPI_COMM_WORLD on this node, sorted: node_ranks of them ... */
    int *peers;             /* ... and the same as ranks of all */
    struct whereabouts *at; /* of all ranks, where there are not too many: link.c */
    char directory[4096];   /* the working directory when the job began; "": not known */
};

/* The ranks that have the library: world, which has all of the job, or a communicator that the caller frees
 * without those n that are absent. Collective over them. MPI_COMM_NULL: MPI failed. */
MPI_Comm link_meet(MPI_Comm world, const int *absent, int n);

/* Begins a link.
 *   meeting   what link_meet has returned, or MPI_COMM_NULL
 *   launcher  a number of the launcher's process on this machine (presence_machine)
 * NULL: there is no meeting, or no memory on this rank. */
struct job_link *link_make(MPI_Comm meeting, uint64_t launcher);
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

/* Merges n numbers of each rank of the node on the first of them (node_rank 0); on the others, merged has
 * their own. Collective over the node. 0; -1: MPI failed. */
enum link_merge { LINK_SUM, LINK_OR };
enum { LINK_MOST_MERGED = 512 };
int link_merge_node(const struct job_link *link, const uint64_t *own, uint64_t *merged, int n,
                    enum link_merge how);
