/* SPDX-License-Identifier: BSD-3-Clause
 * Rank 0 hands out work, and takes longer over each result than the workers over their work. */
#include "known.h"

#include <mpi.h>

enum { TASKS = 12, WORK = 1, RESULT, END };

static void hand_out(int workers)
{
    MPI_Status status;
    int task = 0, sent = 0;
    for (int i = 1; i <= workers; i++, sent++)
        MPI_Send(&task, 1, MPI_INT, i, WORK, MPI_COMM_WORLD);
    for (int i = 0; i < TASKS * workers; i++) {
        MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        known_work(0.04);
        MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, sent++ < TASKS * workers ? WORK : END, MPI_COMM_WORLD);
    }
}

static void work(void)
{
    MPI_Status status;
    int task;
    for (;;) {
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status); /* place: waits */
        if (status.MPI_TAG == END)
            return;
        known_work(0.025);
        MPI_Send(&task, 1, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        hand_out(ranks - 1);
    else
        work();
    known_end(rank);
    MPI_Finalize();
    return 0;
}
