/* SPDX-License-Identifier: BSD-3-Clause */
/* A partitioned message from rank 0 to rank 1, three times, and what packs; parts.F90 does the same. */
#include <mpi.h>
#include <stdio.h>

void save_records(int rank);

enum { PARTS = 4, EACH = 3, TIMES = 3 };

static void ready(MPI_Request request, int time)
{
    int others[2] = {3, 0};
    for (int i = 0; time == 0 && i < PARTS; i++)
        MPI_Pready(i, request);
    if (time == 1)
        MPI_Pready_range(0, PARTS - 1, request);
    if (time == 2) {
        MPI_Pready_list(2, others, request);
        MPI_Pready_range(1, 2, request);
    }
}

int main(int argc, char **argv)
{
    int rank, arrived, at = 0, right = 1, values[PARTS * EACH];
    char room[256];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(values, PARTS, EACH, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(values, 2, PARTS * EACH / 2, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int time = 0; time < TIMES; time++) {
        for (int i = 0; i < PARTS * EACH; i++)
            values[i] = rank == 0 ? i + time : 0;
        MPI_Start(&request);
        if (rank == 0)
            ready(request, time);
        else
            MPI_Parrived(request, 1, &arrived);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < PARTS * EACH; i++)
            right &= values[i] == i + time;
    }
    MPI_Request_free(&request);
    MPI_Pack(values, 5, MPI_INT, room, sizeof room, &at, MPI_COMM_WORLD);
    at = 0;
    MPI_Unpack(room, sizeof room, &at, values, 5, MPI_INT, MPI_COMM_WORLD);
    if (right)
        printf("all values right\n");
    MPI_Pcontrol(1);
    save_records(rank);
    MPI_Finalize();
    return 0;
}
