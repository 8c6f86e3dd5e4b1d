/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>

void save_records(int rank);
int work(void);

int work(void)
{
    int rank, value = 1, got = 0, result = MPI_Init(NULL, NULL);
    MPI_Comm again;

    if (result != MPI_SUCCESS) {
        for (int i = 0; i < 3; i++) /* as programs do that do not look */
            MPI_Barrier(MPI_COMM_WORLD);
        printf("MPI_Init: %d\n", result);
        return 3;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &again);
    MPI_Sendrecv(&value, 1, MPI_INT, 1 - rank, 0, &got, 1, MPI_INT, 1 - rank, 0, again, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&again);
    save_records(rank);
    MPI_Finalize();
    printf("value %d\n", value + got);
    return value + got == 3 ? 0 : 1;
}
