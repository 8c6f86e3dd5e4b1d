/* SPDX-License-Identifier: BSD-3-Clause
 * A wave goes over the ranks again and again: each works when the one before it has. */
#include "known.h"

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, ranks, token = 0;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int before = (rank + ranks - 1) % ranks, next = (rank + 1) % ranks;
    for (int i = 0; i < 10; i++) {
        if (i > 0 || rank > 0)
            MPI_Recv(&token, 1, MPI_INT, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* place: waits */
        known_work(0.04);
        if (i < 9 || rank < ranks - 1)
            MPI_Send(&token, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    known_end(rank);
    MPI_Finalize();
    return 0;
}
