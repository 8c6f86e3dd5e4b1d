/* SPDX-License-Identifier: BSD-3-Clause */
/* many_regions N: every rank is twice in "common" and once in each of N regions of its own, "N of rank R". */
#include <mpi.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, own = argc > 1 ? atoi(argv[1]) : 1;
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        PAPI_hl_region_begin("common");
        MPI_Barrier(MPI_COMM_WORLD);
        PAPI_hl_region_end("common");
    }
    for (int i = 0; i < own; i++) {
        snprintf(name, sizeof name, "%03d of rank %d", i, rank);
        PAPI_hl_region_begin(name);
        PAPI_hl_region_end(name);
    }
    MPI_Finalize();
    if (rank == 0)
        printf("uneven is through\n");
    return 0;
}
