/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* timeline known: messages of every kind from rank 0 to rank 1, as timeline_test.py counts them.
 * timeline many: more than a small ring has room for. timeline cancel: a receive is cancelled.
 * timeline killed: rank 0 kills rank 1, which waits for a message of it, and waits for rank 1. */

enum { TAG = 5, LATE = 200000 /* microseconds */ };

static int rank;

static void one(int bytes, int tag, MPI_Comm comm)
{
    static char data[8192];
    if (rank == 0)
        MPI_Send(data, bytes, MPI_CHAR, 1, tag, comm);
    else
        MPI_Recv(data, sizeof data, MPI_CHAR, 0, tag, comm, MPI_STATUS_IGNORE);
}

static void both_ways(void)
{
    int mine = rank, other;
    MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 6, &other, 1, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void without_waiting(void)
{
    MPI_Request request;
    int value = 0;
    if (rank == 0)
        MPI_Isend(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(&value, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void from_anybody(void)
{
    int value = 0;
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void known(void)
{
    MPI_Comm same;
    MPI_Comm_dup(MPI_COMM_WORLD, &same);
    MPI_Pcontrol(1, "exchange");
    for (int i = 0; i < 10; i++)
        one(i, TAG, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        both_ways();
    for (int i = 0; i < 4; i++)
        without_waiting();
    MPI_Pcontrol(-1, "exchange");
    one(1, TAG, same);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        usleep(LATE);
    one(100, TAG, MPI_COMM_WORLD);
    from_anybody();
    one(1, TAG, MPI_COMM_WORLD);
    MPI_Comm_free(&same);
}

static void cancels(void)
{
    MPI_Request request;
    char byte;
    one(1, TAG, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Irecv(&byte, 1, MPI_CHAR, 0, 9, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void killed(void)
{
    int pid = (int)getpid();
    MPI_Pcontrol(1, "to the end");
    for (int i = 0; i < 7; i++)
        one(i, TAG, MPI_COMM_WORLD);
    without_waiting();
    if (rank == 1) {
        MPI_Send(&pid, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
        one(1, 9, MPI_COMM_WORLD); /* it never comes */
    }
    MPI_Recv(&pid, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(LATE);
    kill((pid_t)pid, SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "known";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "many") == 0)
        for (int i = 0; i < 5000; i++)
            one(i, TAG, MPI_COMM_WORLD);
    else if (strcmp(what, "cancel") == 0)
        cancels();
    else if (strcmp(what, "killed") == 0)
        killed();
    else
        known();
    MPI_Finalize();
    return 0;
}
