/* SPDX-License-Identifier: BSD-3-Clause */
/* Four ranks, the last of which has the most to do. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    double own = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int k = 0; k < 100; k++) {
        for (int i = 0; i < 100000 * (rank + 1); i++)
            own = own * 0.999 + i;
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        own = all / ranks;
    }
    if (rank == 0)
        printf("%d\n", own > 0);
    MPI_Finalize();
    return 0;
}
