/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A job that ends in one way or another, after calls whose numbers are known:
 *   ends WAY [RANK]    what RANK does (default 1; the others enter a barrier, where it is missed)
 * Each rank r sends 10 * (r + 1) messages of 100 bytes to itself, half of them in each of two visits of the
 * region "work", and makes 7 barriers on MPI_COMM_SELF; "last" is open at the end.
 */
#include "papi.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGES = 10, BYTES = 100, BARRIERS = 7 };

static void work(int rank)
{
    char out[BYTES] = "", in[BYTES];
    for (int part = 0; part < 2; part++) {
        PAPI_hl_region_begin("work");
        for (int i = 0; i < MESSAGES * (rank + 1) / 2; i++)
            MPI_Sendrecv(out, BYTES, MPI_CHAR, 0, 1, in, BYTES, MPI_CHAR, 0, 1, MPI_COMM_SELF,
                         MPI_STATUS_IGNORE);
        PAPI_hl_region_end("work");
    }
    for (int i = 0; i < BARRIERS; i++)
        MPI_Barrier(MPI_COMM_SELF);
}

/* Starts a child, whose work belongs to nobody, and another program, which is not a rank. */
static void fork_and_exec(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        PAPI_hl_region_begin("of the child");
        PAPI_hl_region_end("of the child");
        _exit(0);
    }
    waitpid(child, &status, 0);
    status = system("true");
    (void)status;
}

static void end(const char *way)
{
    if (strcmp(way, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(way, "segfault") == 0)
        raise(SIGSEGV);
    if (strcmp(way, "term") == 0)
        raise(SIGTERM);
    if (strcmp(way, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(way, "exit") == 0)
        exit(3);
    if (strcmp(way, "_exit") == 0)
        _exit(4);
    if (strcmp(way, "sleep") == 0)
        sleep(600);
    if (strcmp(way, "exec") == 0)
        execlp("sleep", "sleep", "1", (char *)NULL);
}

/* A rank that ends takes the others with it: they are out of the barrier before, and it counts. */
static void come_out_first(int rank, int which)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != which)
        MPI_Send(NULL, 0, MPI_BYTE, which, 2, MPI_COMM_WORLD);
    for (int i = 1; rank == which && i < ranks; i++)
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "finalize";
    int which = argc > 2 ? atoi(argv[2]) : 1, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    work(rank);
    if (strcmp(way, "fork") == 0)
        fork_and_exec();
    PAPI_hl_region_begin("last");
    MPI_Barrier(MPI_COMM_WORLD);
    come_out_first(rank, which);
    if (rank == which) {
        printf("rank %d ends now\n", rank);
        fflush(stdout);
        end(way);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    PAPI_hl_region_end("last");
    MPI_Finalize();
    return 0;
}
