/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI ranks, each of which counts its own share of the work; the first one prints all counts and their
 * sum.
 */
#include "operations_loop.h"
#include "papi.h"

#include <mpi.h>
#include <stdio.h>

enum { TURNS = 10000, TIMES = 20 };

static int need(int code, const char *what)
{
    if (code != PAPI_OK) {
        fprintf(stderr, "%s: %s\n", what, PAPI_strerror(code));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return code;
}

/* -1: not the same each time. */
static long long count(long turns)
{
    int es = PAPI_NULL;
    long long value;
    need(PAPI_create_eventset(&es), "PAPI_create_eventset");
    need(PAPI_add_named_event(es, "PAPI_DP_OPS"), "PAPI_DP_OPS");
    for (int i = 0; i < TIMES; i++) {
        need(PAPI_start(es), "PAPI_start");
        operations_loop(turns);
        need(PAPI_stop(es, &value), "PAPI_stop");
        if (value != OPERATIONS * turns)
            return -1;
    }
    return value;
}

int main(int argc, char **argv)
{
    int rank, size, wrong;
    long long value, sum, from;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    need(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? PAPI_OK : PAPI_EINVAL,
         "PAPI_library_init");
    value = count(TURNS * (rank + 1L));
    wrong = value != OPERATIONS * TURNS * (rank + 1LL);
    MPI_Allreduce(&value, &sum, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    wrong |= sum != (long long)OPERATIONS * TURNS * size * (size + 1) / 2;
    if (rank != 0)
        MPI_Send(&value, 1, MPI_LONG_LONG, 0, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++) {
        from = value;
        if (i > 0)
            MPI_Recv(&from, 1, MPI_LONG_LONG, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("rank %d: %lld operations\n", i, from);
    }
    if (rank == 0)
        printf("sum: %lld\n", sum);
    MPI_Finalize();
    return wrong;
}
