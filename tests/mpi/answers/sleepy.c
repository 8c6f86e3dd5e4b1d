/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that sleep outside MPI for most of the time, and also compute, beside another program on each
 * processor that each of them starts: it takes the processor away when they compute, often, and never
 * because they sleep, seldom and long. */
#include "known.h"

#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 4 };

static void busy_beside(void)
{
    pid_t parent = getpid();
    if (fork() != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent)
        ;
    _exit(0);
}

static void doze(double seconds)
{
    const struct timespec nap = {.tv_nsec = (long)(seconds * 1e9)};
    double begin = known_now();
    nanosleep(&nap, NULL);
    known_note("useful", known_now() - begin); /* to the report, what is outside MPI is useful */
}

int main(int argc, char **argv)
{
    int rank;
    busy_beside();
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < TURNS; turn++) {
        known_work(0.1);
        doze(0.5);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    known_end(rank);
    MPI_Finalize();
    return 0;
}
