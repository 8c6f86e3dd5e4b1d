/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_WEAK_H
#define PAPI_MPI_WEAK_H

#include <mpi.h>

/* LD_PRELOAD has the wrapper library in processes without MPI, too: a shell, mpirun itself. They must start
 * even where everything is bound at once, so nothing of MPI is needed before somebody calls MPI_Init. */
#pragma weak PMPI_Bcast
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Comm_size
#pragma weak PMPI_Query_thread

#if defined OPEN_MPI /* what its MPI_COMM_WORLD and its like are addresses of */
#pragma weak ompi_mpi_char
#pragma weak ompi_mpi_comm_world
#endif

#endif
