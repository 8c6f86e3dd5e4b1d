/* SPDX-License-Identifier: BSD-3-Clause */
/* Three regions, each with a barrier: in one, rank 0 works five times as long as the others; in one, another
 * rank works in each turn, so that all work as long and wait for one another; in one, all work at the same
 * time. */
#include "known.h"

#include <mpi.h>
#include <stdio.h>

enum { TURNS = 6 };

static double began;

static void begin(const char *region)
{
    began = known_now();
    MPI_Pcontrol(1, region);
}

static void end(const char *region)
{
    char name[64];
    MPI_Pcontrol(-1, region);
    snprintf(name, sizeof name, "%s.time", region);
    known_note(name, known_now() - began);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    begin("uneven");
    known_work_named("uneven.0", rank == 0 ? 0.5 : 0.1);
    MPI_Barrier(MPI_COMM_WORLD);
    end("uneven");
    begin("alternates");
    for (int turn = 0; turn < TURNS; turn++) {
        char name[64];
        snprintf(name, sizeof name, "alternates.%d", turn);
        if (turn % ranks == rank)
            known_work_named(name, 0.1);
        MPI_Barrier(MPI_COMM_WORLD); /* place: waits */
    }
    end("alternates");
    begin("even");
    known_work_named("even.0", 0.2);
    MPI_Barrier(MPI_COMM_WORLD);
    end("even");
    known_end(rank);
    MPI_Finalize();
    return 0;
}
