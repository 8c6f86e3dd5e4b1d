/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/rank.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void rank_tell(const char *what)
{
    const struct rank_record *record = papi_mpi.record;
    const char *directory = rank_directory();
    char line[5000];
    int n;

    if (strcmp(papi_mpi.settings.report, "none") == 0)
        return;
    if (directory != NULL)
        n = snprintf(line, sizeof line, "papi_mpi: rank %d %s; its figures: papi_mpi_report --recover %s\n",
                     record->rank, what, directory);
    else
        n = snprintf(line, sizeof line,
                     "papi_mpi: rank %d %s; its figures were in plain memory and are lost\n", record->rank,
                     what);
    if (write(STDERR_FILENO, line, (size_t)n) != n)
        return; /* nobody is there to be told */
}

/* A rank that ends without MPI_Finalize, as far as it ends by exit or by the end of main. Neither MPI nor
 * anything that could wait: the other ranks go on, or their launcher ends them. */
static __attribute__((destructor)) void rank_exits(void)
{
    struct rank_record *record = papi_mpi.record;

    if (record == NULL || atomic_load(&record->state) != RANK_RUNS)
        return;
    if (record->pid != (int32_t)getpid()) /* a child that came by another way than fork() */
        return;
    atomic_store(&papi_mpi.counting, 0);
    record->end = clock_ticks();
    rank_update();
    atomic_store(&record->state, RANK_EXITS);
    rank_tell("ends without MPI_Finalize");
}
