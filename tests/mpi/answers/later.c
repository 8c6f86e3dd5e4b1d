/* SPDX-License-Identifier: BSD-3-Clause
 * Waits for requests. Rank 1 waits for two messages at once, which rank 0 sends late; rank 0 waits for the
 * request of its synchronous send, which rank 1 receives late. Last, neither waits for the other: rank 1's
 * receive is early and its wait late, and rank 0 waits late for the request of a send that was early. */
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

static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void sends_two_late(int turn)
{
    int numbers[2] = {turn, turn}, back;
    meet();
    for (int i = 0; i < 2; i++) {
        known_work(0.006);
        note(i == 0 ? "first" : "second", turn);
        MPI_Send(&numbers[i], 1, MPI_INT, 1, 3 + i, MPI_COMM_WORLD);
        if (i == 0)
            MPI_Recv(&back, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void waits_for_both(int turn)
{
    int numbers[3] = {turn};
    MPI_Request request[3];
    MPI_Status status[3];
    MPI_Irecv(&numbers[1], 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&numbers[2], 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(&numbers[0], 1, MPI_INT, 0, 5, MPI_COMM_WORLD,
              &request[2]); /* done long before the wait ends */
    meet();
    note("second", turn);
    MPI_Waitall(3, request, status); /* place: both come */
}

static void waits_for_request(int turn)
{
    int number = turn;
    MPI_Request request;
    MPI_Issend(&number, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &request);
    meet();
    note("request", turn);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* place: completes */
}

static void receives_request_late(int turn)
{
    int number;
    MPI_Request request;
    meet();
    known_work(0.01);
    note("request", turn);
    MPI_Irecv(&number, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &request);
    known_work(0.002);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Each is early, and completes late. */
static void is_early(int turn)
{
    int number = turn;
    MPI_Request request;
    MPI_Isend(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
    meet();
    known_work(0.003);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    meet();
    MPI_Send(&number, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
    meet();
}

static void is_early_too(int turn)
{
    int number = turn;
    MPI_Request request;
    meet();
    MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&number, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
    meet();
    known_work(0.003);
    meet();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < TURNS; i++) {
        meet();
        (rank == 0 ? sends_two_late : waits_for_both)(i);
        meet();
        (rank == 0 ? waits_for_request : receives_request_late)(i);
        meet();
        (rank == 0 ? is_early : is_early_too)(i);
    }
    known_end(rank);
    MPI_Finalize();
    return 0;
}
