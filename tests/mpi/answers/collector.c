/* SPDX-License-Identifier: BSD-3-Clause */
/* All work equally long in the end, and now and then one of them, each time another, collects garbage, while
 * the others wait for it. */
#include "known.h"

#include <mpi.h>

int main(int argc, char **argv)
{
    enum { MOST = 64 };
    int rank, ranks, counts[MOST];
    double a[MOST] = {0}, b[MOST];
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < MOST; i++)
        counts[i] = i < ranks;
    for (int i = 0; i < 100; i++) {
        known_work(0.004);
        if (i % 5 == 4 && (i / 5) % ranks == rank)
            known_work_named("garbage", 0.05);
        MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* place: waits */
    }
    known_end(rank);
    MPI_Finalize();
    return 0;
}
