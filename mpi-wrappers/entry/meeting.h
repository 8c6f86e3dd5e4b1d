/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "mpi/mpi_now.h"

/* The ranks of world that have this library, after all have entered MPI: world itself, or a communicator that
 * the caller frees; MPI_COMM_NULL: MPI failed, or nobody can say. Ranks without the library are not waited
 * for, and named in a complaint, where MPICH's or Open MPI's mpirun started the job; otherwise all must have
 * it. One machine knows by the sockets of its ranks. Several tell each other by the names that the launcher
 * keeps (MPI_Publish_name): where a machine has no rank with the library at all, that takes some seconds.
 * Collective over the ranks that have the library. */
MPI_Comm meeting_find(MPI_Comm world);
