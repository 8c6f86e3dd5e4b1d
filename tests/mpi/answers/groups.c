/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators inside communicators: only the last rank has little to do, and it waits for its own group,
 * which the first group knows nothing of. */
#include "known.h"

#include <mpi.h>

static void steps(MPI_Comm group, double work)
{
    double a = 1, b;
    for (int turn = 0; turn < 20; turn++) {
        known_work(work);
        MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, group); /* place: waits */
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Comm half, inner;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, ranks == 2 ? 0 : rank * 2 / ranks, rank, &half);
    MPI_Comm_dup(half, &inner);
    steps(inner, rank == ranks - 1 ? 0.005 : 0.03);
    MPI_Comm_free(&inner);
    MPI_Comm_free(&half);
    known_end(rank);
    MPI_Finalize();
    return 0;
}
