/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "nodes_mpi.h"

/* What started this process as one of several, and the MPI that goes with it. */

struct launcher {
    int rank, size;     /* as the launcher's variables say; size 0: they do not */
    const char *mpi[2]; /* "mpich", "openmpi": the MPIs that it may be of, the likelier one first; or NULL */
    void *library;      /* libpapi_mpi_nodes_FLAVOUR.so */
    char name[64];      /* its name */
    nodes_begin_function *begin;
    nodes_end_function *end;
};

/* False: nothing started it but a shell. */
int launcher_find(struct launcher *launcher);

/* Opens the library of its MPI. 0; -1: why, a sentence. */
int launcher_open(struct launcher *launcher, char *why, int room);
