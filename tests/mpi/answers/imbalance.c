/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 works four times as long as the others, which wait for it in a collective call: 20 turns. */
#include "known.h"

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    double sum = 0, all;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 20; turn++) {
        known_work(rank == 0 ? 0.04 : 0.01);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* place: waits */
    }
    known_end(rank);
    MPI_Finalize();
    return 0;
}
