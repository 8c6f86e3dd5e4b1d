/* SPDX-License-Identifier: BSD-3-Clause */
/* A halo that is sent cell by cell: the ranks send each other 4,000 messages of 8 bytes in each step, where
 * one of 32 kB would do, and compute a little. The time is that of the messages. */
#include "known.h"

#include <mpi.h>

enum { STEPS = 50, CELLS = 4000 };

static void exchange(const double *mine, double *theirs, int other)
{
    static MPI_Request request[2 * CELLS];
    static MPI_Status status[2 * CELLS];
    for (int i = 0; i < CELLS; i++)
        MPI_Irecv(&theirs[i], 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < CELLS; i++)
        MPI_Isend(&mine[i], 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &request[CELLS + i]);
    MPI_Waitall(2 * CELLS, request, status);
}

int main(int argc, char **argv)
{
    static double mine[CELLS], theirs[CELLS];
    int rank;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < STEPS; step++) {
        known_work(0.0005);
        exchange(mine, theirs, 1 - rank);
    }
    known_end(rank);
    MPI_Finalize();
    return 0;
}
