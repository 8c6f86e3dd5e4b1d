/* SPDX-License-Identifier: BSD-3-Clause
 * ends late|relay. Ranks come to MPI_Finalize at different times: rank 1 has more to do after the last call
 * (late), or begins when rank 0 has ended its work (relay). */
#include "known.h"

#include <mpi.h>
#include <string.h>

static void late(int rank)
{
    for (int i = 0; i < 5; i++) {
        known_work(0.02);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    known_work(rank == 1 ? 1 : 0.1);
}

static void relay(int rank)
{
    if (rank == 1)
        MPI_Recv(&rank, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    known_work(0.5);
    if (rank == 0)
        MPI_Send(&rank, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (argc > 1 && strcmp(argv[1], "relay") == 0 ? relay : late)(rank);
    known_end(rank);
    MPI_Finalize();
    return 0;
}
