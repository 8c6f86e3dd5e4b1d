/* SPDX-License-Identifier: BSD-3-Clause
 * spinning fetch|swap|accumulate|get|counter. Rank 1 has nothing to do: it reads a number of rank 0's window
 * again and again, until rank 0, which works, has written the next one there. counter: each rank takes
 * numbers from its own window, one after the other, and works a little on each; nobody waits. */
#include "known.h"

#include <mpi.h>
#include <string.h>

enum { TURNS = 8, NUMBERS = 20000 };

static const int nobody = -1;

/* Begins to read the number; it has come when the call after it has returned. */
static void begin_to_read(const char *how, int *number, MPI_Win win)
{
    if (strcmp(how, "fetch") == 0)
        MPI_Fetch_and_op(&nobody, number, MPI_INT, 0, 1, MPI_NO_OP, win);
    else if (strcmp(how, "swap") == 0)
        MPI_Compare_and_swap(&nobody, &nobody, number, MPI_INT, 0, 1, win);
    else if (strcmp(how, "accumulate") == 0)
        MPI_Get_accumulate(&nobody, 1, MPI_INT, number, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_NO_OP, win);
    else
        MPI_Get(number, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
}

static void wait_for(const char *how, int turn, MPI_Win win)
{
    int locks = strcmp(how, "get") == 0;
    for (int number = 0; number < turn;) {
        if (locks)
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        begin_to_read(how, &number, win);
        if (locks)
            MPI_Win_unlock(0, win);
        else
            MPI_Win_flush(0, win);
    }
}

static void write_turn(const char *how, int turn, MPI_Win win)
{
    int locks = strcmp(how, "get") == 0;
    if (locks)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Accumulate(&turn, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_REPLACE, win);
    if (locks)
        MPI_Win_unlock(0, win);
    else
        MPI_Win_flush(0, win);
}

static void count(int rank, MPI_Win win)
{
    int one = 1, number;
    for (int i = 0; i < NUMBERS; i++) {
        MPI_Fetch_and_op(&one, &number, MPI_INT, rank, 1, MPI_SUM, win);
        MPI_Win_flush(rank, win);
    }
    known_work(0.1);
}

int main(int argc, char **argv)
{
    int rank, *memory;
    MPI_Win win;
    const char *how = argc > 1 ? argv[1] : "fetch";
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memset(memory, 0, 2 * sizeof *memory);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "get") != 0)
        MPI_Win_lock_all(0, win);
    if (strcmp(how, "counter") == 0)
        count(rank, win);
    else
        for (int turn = 1; turn <= TURNS; turn++)
            if (rank == 0) {
                known_work(0.1);
                write_turn(how, turn, win);
            } else {
                wait_for(how, turn, win);
            }
    if (strcmp(how, "get") != 0)
        MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    known_end(rank);
    MPI_Finalize();
    return 0;
}
