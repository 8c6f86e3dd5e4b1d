/* SPDX-License-Identifier: BSD-3-Clause */
/* balance SECONDS: rank 0 works so long, the others half of it; work is what takes this time, however much of
 * a processor there is. */
#include <mpi.h>
#include <stdlib.h>

static volatile double result;

static void work(double seconds)
{
    double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        result += 1;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    MPI_Barrier(MPI_COMM_WORLD);
    work(rank == 0 ? seconds : seconds / 2);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
