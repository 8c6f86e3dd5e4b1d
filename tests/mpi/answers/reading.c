/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 prepares what all need, by its own means, while the others wait in MPI_Bcast; then all work equally
 * long. */
#include "known.h"

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    static double data[1000];
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 10; turn++) {
        if (rank == 0)
            known_work(0.06);
        MPI_Bcast(data, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* place: waits */
        known_work(0.02);
    }
    known_end(rank);
    MPI_Finalize();
    return 0;
}
