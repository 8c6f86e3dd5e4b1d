/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a timeline of two ranks: for a while no MPI at all, then rank 1 waits in a barrier, then in a
 * receive. */
#include <mpi.h>
#include <time.h>

static void sleep_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sleep_ms(400);
    if (rank == 0)
        sleep_ms(400);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        sleep_ms(400);
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
