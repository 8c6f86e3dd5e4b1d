/* SPDX-License-Identifier: BSD-3-Clause
 * All work equally long in the end, but in each step another rank is late, and the others wait for it. */
#include "known.h"

#include <mpi.h>
#include <stdio.h>

static double step(int i, int late)
{
    double mine = 1, sum;
    char name[16];
    snprintf(name, sizeof name, "step.%d", i);
    known_work_named(name, late ? 0.05 : 0.01);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* place: waits */
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 10 * ranks; i++)
        step(i, i % ranks == rank);
    known_end(rank);
    MPI_Finalize();
    return 0;
}
