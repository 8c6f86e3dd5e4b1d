/* SPDX-License-Identifier: BSD-3-Clause */
/* Half of the ranks work, in a communicator of their own, and the others wait for them in the end. */
#include "known.h"

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    double a = 1;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2, 0, &half);
    for (int i = 0; i < 50; i++) {
        if (rank < ranks / 2)
            known_work(0.02);
        MPI_Allreduce(MPI_IN_PLACE, &a, 1, MPI_DOUBLE, MPI_SUM, half);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* place: waits */
    known_end(rank);
    MPI_Finalize();
    return 0;
}
