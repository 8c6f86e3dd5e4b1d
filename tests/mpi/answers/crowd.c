/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks that have one processor together compute equally long, and meet once in a while. */
#include "known.h"

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    double energy = 1, sum;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 3; step++) {
        known_work(0.4);
        MPI_Allreduce(&energy, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* place: waits */
    }
    known_end(rank);
    MPI_Finalize();
    return 0;
}
