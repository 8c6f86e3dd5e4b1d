/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_LINK_H
#define PAPI_MPI_LINK_H

#include "mpi/mpi_now.h"

/* The way of a rank to the others, from job_begin to job_end: communicators of the library's own, made before
 * the program can put attributes on MPI_COMM_WORLD or use up what there is of communicators. An error in them
 * comes back as a code. */
struct job_link {
    MPI_Comm all, node;
    int rank, ranks;
    int node_number, nodes; /* nodes count from 0, in order of their first ranks */
    int node_rank, node_ranks;
    int *members;         /* the ranks of this node, sorted: node_ranks of them */
    char directory[4096]; /* where the program was when the job began; "": cannot be said */
};

/* Collective over MPI_COMM_WORLD. NULL: no memory on this rank. */
struct job_link *link_make(void);
void link_free(struct job_link *link);

/* The smallest of all ranks' numbers, on all of them; 0 where MPI fails. */
int link_least(const struct job_link *link, int mine);

#endif
