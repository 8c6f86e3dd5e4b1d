/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that hang: hang KIND. hang_test.py says what is to be said of each, by the marks of its lines. */
#include <mpi.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 1 << 22 }; /* bytes: no MPI sends so many before they are received */

static int rank, ranks, value;
static char *large;

static void receive(void)
{
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* place: receives */
    else
        MPI_Barrier(MPI_COMM_WORLD); /* place: barrier */
}

static void sends(void)
{
    MPI_Send(large, LARGE, MPI_CHAR, 1 - rank, 3, MPI_COMM_WORLD); /* place: sends */
    MPI_Recv(large, LARGE, MPI_CHAR, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void circle(void)
{
    int next = (rank + 1) % ranks;
    MPI_Recv(&value, 1, MPI_INT, next, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* place: circle */
}

static void computes(void)
{
    volatile double sum = 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); /* place: last */
    while (rank == ranks - 1)
        sum = sum + 1;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* place: reduces */
}

static void wait_one(void)
{
    MPI_Request request;
    if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* place: waits */
    }
    MPI_Barrier(MPI_COMM_WORLD); /* place: barrier_after */
}

static void wait_all(void)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int values[2];
    if (rank == 1) {
        MPI_Irecv(&values[0], 1, MPI_INT, 0, 11, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 0, 12, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, status); /* place: waits_all */
    }
    MPI_Barrier(MPI_COMM_WORLD); /* place: barrier_of_all */
}

/* Ranks count backwards there: rank 1 of it is rank 0 of the job. */
static void communicator(void)
{
    MPI_Comm other;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 1, 7, other, MPI_STATUS_IGNORE); /* place: receives_there */
    else
        MPI_Barrier(other); /* place: barrier_there */
}

static void crash(void)
{
    if (rank == 1) {
        sleep(2); /* so that the other one waits */
        raise(SIGILL);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* place: crash */
}

/* Leaves the job, for which the other one waits. */
static void leave(void (*how)(void))
{
    if (rank == 1) {
        sleep(2);
        how();
    }
    MPI_Recv(&value, 1, MPI_INT, 1, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* place: from_the_left */
}

static void call_abort(void)
{
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void call_exit(void)
{
    exit(0);
}

static void send_to_nobody(void)
{
    MPI_Send(&value, 1, MPI_INT, 99, 13, MPI_COMM_WORLD); /* place: fails */
}

static void fails(void)
{
    leave(send_to_nobody);
}

static void aborts(void)
{
    leave(call_abort);
}

static void exits(void)
{
    leave(call_exit);
}

/* At work for ever, and never waiting for as long as a second. */
static void quick(void)
{
    for (;;)
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = {{"receive", receive},
                 {"sends", sends},
                 {"circle", circle},
                 {"computes", computes},
                 {"wait", wait_one},
                 {"waitall", wait_all},
                 {"communicator", communicator},
                 {"killed", receive},
                 {"crash", crash},
                 {"aborts", aborts},
                 {"exits", exits},
                 {"fails", fails},
                 {"short", quick}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    large = calloc(1, LARGE);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (argc > 1 && strcmp(kinds[i].name, argv[1]) == 0)
            kinds[i].run();
    MPI_Finalize();
    return 0;
}
