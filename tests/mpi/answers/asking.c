/* SPDX-License-Identifier: BSD-3-Clause */
/* The program asks for the efficiencies of a region while it runs: of all ranks and of its own, in the region
 * and after it. Rank 0 works three times as long as the others; what it asks for costs it nothing in the
 * report. With "wrong" it makes mistakes, of which each has its code. */
#include "known.h"
#include "papi.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void expect(int code, int wanted, const char *what)
{
    if (code == wanted)
        return;
    fprintf(stderr, "asking: %s: %d, not %d\n", what, code, wanted);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void ask(const char *region, int scope, const char *as)
{
    static const char *const names[] = {"parallel",      "load_balance",  "in_nodes", "across_nodes",
                                        "communication", "serialisation", "transfer"};
    double values[PAPI_EFF_COUNT];
    expect(PAPI_hl_efficiency(region, scope, values), PAPI_OK, as);
    for (int i = 0; i < PAPI_EFF_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s", as, names[i]);
        known_note(name, values[i]);
    }
}

static void be_wrong(int rank)
{
    double values[PAPI_EFF_COUNT] = {7};
    expect(PAPI_hl_efficiency("no such region", PAPI_EFF_JOB, values), PAPI_EINVAL, "no rank was in it");
    expect(PAPI_hl_efficiency("no such region", PAPI_EFF_RANK, values), PAPI_EINVAL,
           "this rank was not in it");
    expect(PAPI_hl_efficiency(rank == 0 ? "work" : "other", PAPI_EFF_JOB, values), PAPI_EINVAL,
           "different regions");
    expect(values[0] == 7, 1, "the values are kept");
}

int main(int argc, char **argv)
{
    int rank;
    double values[PAPI_EFF_COUNT];
    expect(PAPI_hl_efficiency("", PAPI_EFF_RANK, values), PAPI_ENOTRUN, "before MPI_Init");
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    PAPI_hl_region_begin("work");
    double began = known_now();
    known_work_named("work.0", rank == 0 ? 0.3 : 0.1);
    MPI_Barrier(MPI_COMM_WORLD);
    known_note("work.time", known_now() - began);
    ask("work", PAPI_EFF_JOB, "inside");
    ask("work", PAPI_EFF_RANK, "own");
    PAPI_hl_region_end("work");
    ask("work", PAPI_EFF_JOB, "after");
    known_work_named("rest.0", 0.2);
    if (rank == 0)
        known_work_named("late.0", 0.2); /* the others wait for it in the next line, which is left out */
    ask("", PAPI_EFF_JOB, "all");
    if (argc > 1 && strcmp(argv[1], "wrong") == 0)
        be_wrong(rank);
    MPI_Finalize();
    known_end(rank);
    expect(PAPI_hl_efficiency("", PAPI_EFF_RANK, values), PAPI_ENOTRUN, "after MPI_Finalize");
    return 0;
}
