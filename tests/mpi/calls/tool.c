/* SPDX-License-Identifier: BSD-3-Clause */
/* Another tool of MPI's profiling interface: counts barriers and what is sent, and says so at the end. */
#include <mpi.h>
#include <stdio.h>

static int barriers, sends;

int MPI_Barrier(MPI_Comm comm)
{
    barriers++;
    return PMPI_Barrier(comm);
}

int MPI_Sendrecv(const void *from, int n, MPI_Datatype type, int dest, int tag, void *to, int m,
                 MPI_Datatype of, int source, int other, MPI_Comm comm, MPI_Status *status)
{
    sends++;
    return PMPI_Sendrecv(from, n, type, dest, tag, to, m, of, source, other, comm, status);
}

int MPI_Init(int *argc, char ***argv)
{
    return PMPI_Init(argc, argv);
}

int MPI_Finalize(void)
{
    printf("tool: %d barriers, %d sends\n", barriers, sends);
    return PMPI_Finalize();
}
