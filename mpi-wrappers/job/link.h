/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "mpi/mpi_now.h"

#include <stddef.h>
#include <stdint.h>

/* The way of a rank to the others, from job_begin to job_end: communicators of the library's own, made before
 * the program can put attributes on MPI_COMM_WORLD or use up what there is of communicators. An error in them
 * comes back as a code. */
struct job_link {
    MPI_Comm all;
    uint64_t machine;       /* a hash of its name, of its start, and of the launcher's process on it */
    int rank, ranks;        /* of all */
    int world, worlds;      /* the same of all ranks of the job, where others have no library */
    int node_number, nodes; /* nodes count from 0, in order of their first ranks */
    int node_rank, node_ranks;
    int one_machine;        /* all ranks are on it: link_agree has found that out */
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
/* All that ranks tell each other at the start, in one step: n words of each, of which all get those bits that
 * are set on every rank. Meanwhile the communicator of the link is made. Collective over what link_meet has
 * returned; a rank without memory passes NULL. 0, or -1: MPI failed. */
enum { LINK_MOST_WORDS = 64 };
int link_agree(struct job_link *link, MPI_Comm meeting, const uint64_t *own, uint64_t *all, int n);
/* Collective over the same, where all ranks have made theirs and agreed. 0, or -1 on all: MPI failed, or a
 * rank is out of memory. */
int link_connect(struct job_link *link, MPI_Comm world);
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

/* A structure of each rank goes up the tree of all ranks (tree.h), or rank 0's down to all. Ranks that share
 * a processor wait less often so than in MPI's own collective calls, in which each of them exchanges messages
 * with log2(ranks) others: in a tree half of them have one message to send, and one to wait for.
 *   message  room for packing, for what has many zeros; NULL: it is sent as it is
 *   scratch  of the same size, all zero before and afterwards; own is all that is below a rank afterwards
 * Collective. 0; -1: MPI failed. */
enum { LINK_MESSAGE = 8192 /* words */ };
typedef void link_merge_function(void *into, const void *from);
int link_up(const struct job_link *link, void *own, void *scratch, size_t bytes, link_merge_function *merge,
            uint64_t *message);
int link_down(const struct job_link *link, void *what, size_t bytes, uint64_t *message);

/* Give another rank some bytes, and take at most so many from one. link_give returns 0, link_take their
 * number; -1: MPI failed. */
int link_give(const struct job_link *link, const void *what, size_t bytes, int to);
int link_take(const struct job_link *link, void *what, size_t bytes, int from);

/* As link_up and link_down, over the ranks of the node: own of node_rank 0 is all in the end. */
int link_up_node(const struct job_link *link, void *own, void *scratch, size_t bytes,
                 link_merge_function *merge);
int link_down_node(const struct job_link *link, void *what, size_t bytes);

/* Merges n numbers of each rank of the node on the first of them (node_rank 0); on the others, merged has
 * their own. Collective over the node. 0; -1: MPI failed. */
enum link_merge { LINK_SUM, LINK_OR };
enum { LINK_MOST_MERGED = 512 };
int link_merge_node(const struct job_link *link, const uint64_t *own, uint64_t *merged, int n,
                    enum link_merge how);
