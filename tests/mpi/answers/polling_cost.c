/* SPDX-License-Identifier: BSD-3-Clause */
/* polling_cost [TESTS]: each rank tests a request that nothing completes, by MPI_Test and by PMPI_Test, which
 * no wrapper sees, in turns; TESTS of the second. The first is waiting and takes longer, by what the wrapper
 * costs; the second is work to the report, a tenth to a third of a millisecond with 10000 tests.
 */
#include "known.h"

#include <mpi.h>
#include <stdlib.h>

enum { TURNS = 800, TESTS = 10000 };

static double least(double a, double b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    int rank, found = 0, value = 0, out = 1, tests = argc > 1 ? atoi(argv[1]) : TESTS;
    double bare = 0, least_wrapped = 1, least_bare = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
    for (int turn = 0; turn < TURNS; turn++) {
        double begin = known_now();
        for (int i = 0; i < TESTS; i++)
            MPI_Test(&request, &found, MPI_STATUS_IGNORE); /* place: test */
        double between = known_now();
        for (int i = 0; i < tests; i++)
            PMPI_Test(&request, &found, MPI_STATUS_IGNORE);
        double end = known_now();
        bare += end - between;
        least_wrapped = least(least_wrapped, between - begin);
        least_bare = least(least_bare, end - between);
    }
    MPI_Send(&out, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    known_note("wrapped", least_wrapped / TESTS);
    known_note("bare", least_bare / tests);
    known_note("useful", bare);
    known_end(rank);
    MPI_Finalize();
    return 0;
}
