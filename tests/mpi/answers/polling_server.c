/* SPDX-License-Identifier: BSD-3-Clause */
/* polling_server [background]: rank 0 answers requests of the others, which it looks for by MPI_Iprobe; with
 * "background" it computes between two looks, as a server does that has work of its own. */
#include "known.h"

#include <mpi.h>
#include <string.h>

enum { REQUESTS = 40, REQUEST = 1, END, REPLY };

static double value;

/* Work by the clock of the notes: short enough that reading another one would be a part of it. */
static double compute(double seconds)
{
    double begin = known_now(), now = begin;
    while (now < begin + seconds)
        now = known_now();
    return now - begin;
}

static void serve(int clients, int background)
{
    double useful = 0;
    while (clients > 0) {
        MPI_Status status;
        int found = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status); /* place: iprobe */
        if (!found) {
            useful += background ? compute(1e-4) : 0;
            continue;
        }
        MPI_Recv(&value, 1, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (status.MPI_TAG == END) {
            clients--;
            continue;
        }
        useful += compute(0.003);
        MPI_Send(&value, 1, MPI_DOUBLE, status.MPI_SOURCE, REPLY, MPI_COMM_WORLD);
    }
    known_note("useful", useful);
}

static void ask(void)
{
    for (int i = 0; i < REQUESTS; i++) {
        known_work(0.008);
        MPI_Send(&value, 1, MPI_DOUBLE, 0, REQUEST, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_DOUBLE, 0, REPLY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Send(&value, 1, MPI_DOUBLE, 0, END, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        serve(ranks - 1, argc > 1 && strcmp(argv[1], "background") == 0);
    else
        ask();
    known_end(rank);
    MPI_Finalize();
    return 0;
}
