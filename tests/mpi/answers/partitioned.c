/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned messages of MPI 4 from rank 0 to rank 1: rank 0 computes each partition before it says that it
 * is ready, and rank 1, which has a fifth of the work, waits for them. On an idle machine: useful 1.0 and 0.2
 * s of 1.0 s, load balance 0.6, communication 1.0. */
#include "known.h"

#include <mpi.h>

enum { TURNS = 10, PARTS = 4, EACH = 1000 };

static double values[PARTS * EACH];

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(values, PARTS, EACH, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(values, PARTS, EACH, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int turn = 0; turn < TURNS; turn++) {
        MPI_Start(&request);
        for (int part = 0; rank == 0 && part < PARTS; part++) {
            known_work(0.025);
            MPI_Pready(part, request);
        }
        if (rank == 1)
            known_work(0.02);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* place: waits */
    }
    MPI_Request_free(&request);
    known_end(rank);
    MPI_Finalize();
    return 0;
}
