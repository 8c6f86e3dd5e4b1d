/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An MPI program that is linked with libpapi_mpi, for setuid_test.py: the whole of a job, of one rank.
 */
#include "papi.h"

#include <mpi.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(int argc, char **argv)
{
    int ranks = 0, sum = 0, one = 1;
    MPI_Init(&argc, &argv);
    printf("secure: %lu\n", getauxval(AT_SECURE));
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    printf("region: %d\n", PAPI_hl_region_begin("region"));
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("region end: %d\n", PAPI_hl_region_end("region"));
    printf("ranks: %d %d\n", ranks, sum);
    MPI_Finalize();
    return 0;
}
