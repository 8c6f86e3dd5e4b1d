/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks take tasks from a counter in rank 0's window. The last task is as long as all others together, and
 * who has it is late. */
#include "known.h"

#include <mpi.h>
enum { TASKS = 30 };

static int *base;
static MPI_Win window;

static int next_task(void)
{
    int one = 1, got;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_unlock(0, window);
    return got;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        *base = 0;
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int task; (task = next_task()) < TASKS;)
        known_work(task == TASKS - 1 ? 0.8 : 0.02);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    known_end(rank);
    MPI_Finalize();
    return 0;
}
