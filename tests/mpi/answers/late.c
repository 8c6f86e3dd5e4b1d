/* SPDX-License-Identifier: BSD-3-Clause
 * First rank 0 sends late, for which rank 1 waits; then rank 1 receives late, and rank 0 waits until its
 * synchronous send has met the receive. */
#include "known.h"

#include <mpi.h>
#include <stdio.h>

enum { TURNS = 20 };

static void note(const char *what, int turn)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%d", what, turn);
    known_note(name, known_now());
}

static void sends_late(int turn)
{
    int number = turn;
    known_work(0.01);
    note("late", turn);
    MPI_Send(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
}

static void waits_for_sender(int turn)
{
    int number;
    note("late", turn);
    MPI_Recv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* place: waits */
}

static void waits_for_receiver(int turn)
{
    int number = turn;
    note("met", turn);
    MPI_Ssend(&number, 1, MPI_INT, 1, 2, MPI_COMM_WORLD); /* place: sends */
}

static void receives_late(int turn)
{
    int number;
    known_work(0.01);
    note("met", turn);
    MPI_Recv(&number, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* place: late */
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < TURNS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        (rank == 0 ? sends_late : waits_for_sender)(i);
        MPI_Barrier(MPI_COMM_WORLD);
        (rank == 0 ? waits_for_receiver : receives_late)(i);
    }
    known_end(rank);
    MPI_Finalize();
    return 0;
}
