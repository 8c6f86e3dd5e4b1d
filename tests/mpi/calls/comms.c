/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on communicators of all kinds, by four ranks: comms.py knows how many. many: more of them than there
 * are places for. */
#include <mpi.h>
#include <string.h>

static int rank;

static void barriers(MPI_Comm comm, int n)
{
    for (int i = 0; i < n; i++)
        MPI_Barrier(comm);
}

static void sums(MPI_Comm comm, int n)
{
    for (int i = 0; i < n; i++) {
        double one = 1, sum;
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    }
}

static MPI_Comm named(MPI_Comm comm, const char *name)
{
    MPI_Comm_set_name(comm, name);
    return comm;
}

static MPI_Comm dup(void)
{
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    return made;
}

static MPI_Comm split(int color)
{
    MPI_Comm made;
    MPI_Comm_split(MPI_COMM_WORLD, color, rank, &made);
    return made;
}

/* Sends to the other one of two, and receives from it. */
static void exchange(MPI_Comm pair, int n)
{
    char out[100] = "", in[100];
    int here;
    MPI_Comm_rank(pair, &here);
    for (int i = 0; i < n; i++)
        MPI_Sendrecv(out, 100, MPI_BYTE, 1 - here, 0, in, 100, MPI_BYTE, 1 - here, 0, pair,
                     MPI_STATUS_IGNORE);
}

/* Makes one where another one was freed before it: often with the same handle. */
static void one_after_the_other(void)
{
    MPI_Comm pressure = named(dup(), "pressure");
    sums(pressure, 5);
    MPI_Comm_free(&pressure);
    MPI_Comm velocity = named(dup(), "velocity");
    sums(velocity, 11);
    MPI_Comm_free(&velocity);
}

static void pairs(void)
{
    MPI_Comm parity = named(split(rank % 2), rank % 2 ? "odd" : "even"), both;
    int numbers[10] = {0};
    exchange(parity, rank % 2 ? 4 : 2);
    MPI_Intercomm_create(parity, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &both);
    barriers(both, 2);
    MPI_Comm_free(&both);
    MPI_Comm_free(&parity);
    MPI_Comm row = split(rank / 2);
    for (int i = 0; i < 7; i++)
        MPI_Bcast(numbers, 10, MPI_INT, 0, row);
    MPI_Comm_free(&row);
}

/* Ranks that have no part in one make the next one all the same. */
static void without_some(void)
{
    MPI_Comm three = split(rank < 3 ? 1 : MPI_UNDEFINED);
    if (three != MPI_COMM_NULL) {
        barriers(three, 1);
        MPI_Comm_free(&three);
    }
    MPI_Comm all = dup();
    barriers(all, 2);
    MPI_Comm_free(&all);
    MPI_Group world, middle;
    MPI_Comm two;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, (int[]){1, 2}, &middle);
    for (int i = 0; i < 2 && (rank == 1 || rank == 2); i++) {
        MPI_Comm_create_group(MPI_COMM_WORLD, middle, 3, &two);
        barriers(two, 3 + i);
        MPI_Comm_free(&two);
    }
    MPI_Comm last = named(dup(), "last");
    barriers(last, 1);
    MPI_Comm_free(&last);
}

static void later(void)
{
    MPI_Comm later;
    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_WORLD, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    barriers(named(later, "later"), 6);
    MPI_Comm_free(&later);
}

static void without_communicator(void)
{
    static char out[50], in[50], memory[8];
    MPI_Request request[2];
    MPI_Win win;
    MPI_Isend(out, 50, MPI_BYTE, (rank + 1) % 4, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(in, 50, MPI_BYTE, (rank + 3) % 4, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    sums(MPI_COMM_SELF, 2);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; strcmp(mode, "many") == 0 && i < 80; i++) {
        MPI_Comm made = dup();
        barriers(made, 1);
        MPI_Comm_free(&made);
    }
    if (mode[0] == '\0') {
        barriers(MPI_COMM_WORLD, 3);
        one_after_the_other();
        pairs();
        without_some();
        later();
        without_communicator();
    }
    MPI_Finalize();
    return 0;
}
