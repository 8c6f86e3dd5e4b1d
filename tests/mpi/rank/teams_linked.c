/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked with the wrapper library, and with libgomp only as far as that leaves something to it: nothing. MPI
 * has MPI_Comm_rank. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int threads = 0, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        threads++;
    }
    printf("rank %d: %d threads\n", rank, threads);
    MPI_Finalize();
    return 0;
}
