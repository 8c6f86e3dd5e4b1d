/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <sys/types.h>

/* libpapi_mpi_nodes_FLAVOUR.so, the little of MPI that a tool needs to say something once for all ranks. A
 * tool must run where there is no MPI and under that of any launcher, so it is linked with none: it opens
 * the library while it runs and looks these two functions up by their names.
 *
 * An error of MPI ends the job, as MPI does it by itself: a rank that went on alone would leave the others
 * waiting. */

struct nodes_place {
    int rank, ranks;
    int first_on_node; /* no rank of this node comes before */
    int first_of_kind; /* none of this node with the same kind does */
};

/* Begins MPI. kind: a number for what this rank has found. 0, or -1. */
typedef int nodes_begin_function(unsigned kind, struct nodes_place *place);
#define NODES_BEGIN "papi_mpi_nodes_begin"

/* Puts *from into *into, both of which are blocks as below: associative, commutative. n is 1. The
 * arguments are those of an MPI_User_function. */
typedef void nodes_merge_function(void *from, void *into, int *n, void *type);

/* Merges the blocks (size bytes, the same everywhere) of all ranks into that of rank 0, and ends MPI. */
typedef int nodes_end_function(void *block, int size, nodes_merge_function *merge);
#define NODES_END "papi_mpi_nodes_end"

/* Launcher that started this process as one of several, and the MPI that goes with it. */

struct launcher {
    int rank, size;     /* as the launcher's variables say; size 0: they do not */
    const char *mpi[2]; /* "mpich", "openmpi": the MPIs that it may be of, the likelier one first; or NULL */
    void *library;      /* libpapi_mpi_nodes_FLAVOUR.so */
    char name[64];      /* its name */
    nodes_begin_function *begin;
    nodes_end_function *end;
};

/* Finds the launcher that started this process. False: there is none, as of a program started by a shell. */
int launcher_find(struct launcher *launcher);

/* True if a word is the name of a program that starts ranks (mpirun, mpiexec.hydra, srun), in whatever
 * folder. */
int launcher_word(const char *word);

/* True if a launcher started another process as a rank, by its environment. */
int launcher_started(pid_t pid);

/* Opens the library of the launcher's MPI. 0; -1 with a sentence in why. */
int launcher_open(struct launcher *launcher, char *why, int room);
