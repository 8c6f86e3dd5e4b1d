/* SPDX-License-Identifier: BSD-3-Clause
 * exposure test|sync. Rank 1 has a window and nothing to do: it asks again and again whether rank 0, which
 * works, is done with it, by MPI_Win_test, or by looking into memory that both share, with MPI_Win_sync in
 * between. */
#include "known.h"

#include <mpi.h>
#include <string.h>

enum { TURNS = 8 };

static void test(int rank)
{
    int *memory, done, value = 1;
    int other = 1 - rank;
    MPI_Win win;
    MPI_Group all, one;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &one);
    for (int turn = 0; turn < TURNS; turn++)
        if (rank == 0) {
            MPI_Win_start(one, 0, win);
            MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, win);
            known_work(0.1);
            MPI_Win_complete(win);
        } else {
            MPI_Win_post(one, 0, win);
            for (done = 0; !done;)
                MPI_Win_test(win, &done); /* place: test */
        }
    MPI_Win_free(&win);
}

static void sync_all(int rank)
{
    int unit, *memory;
    MPI_Aint size;
    MPI_Win win;
    MPI_Win_allocate_shared(rank == 0 ? sizeof *memory : 0, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                            &memory, &win);
    MPI_Win_shared_query(win, 0, &size, &unit, &memory);
    volatile int *done = memory;
    MPI_Win_lock_all(0, win);
    if (rank == 0)
        *done = 0;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 1; turn <= TURNS; turn++)
        if (rank == 0) {
            known_work(0.1);
            *done = turn;
            MPI_Win_sync(win);
        } else {
            while (*done < turn)
                MPI_Win_sync(win); /* place: sync */
        }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (argc > 1 && strcmp(argv[1], "sync") == 0 ? sync_all : test)(rank);
    known_end(rank);
    MPI_Finalize();
    return 0;
}
