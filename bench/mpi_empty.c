/* SPDX-License-Identifier: BSD-3-Clause */
/* A job that does nothing: what it takes is the start and the end of MPI. bench/mpi_start runs it. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
