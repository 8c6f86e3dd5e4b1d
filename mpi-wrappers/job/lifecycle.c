/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/lifecycle.h"

#include "job/weak.h"
#include "rank/rank.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#if defined OPEN_MPI
static const char flavour[] = "Open MPI";
#else
static const char flavour[] = "MPICH";
#endif

/* The time, the process and the host's number: no other job has all three. */
static void name_job(char job[JOB_NAME])
{
    snprintf(job, JOB_NAME, "%lld-%lx-%d", (long long)time(NULL), gethostid(), (int)getpid());
}

void job_begin(void)
{
    char job[JOB_NAME] = "";
    struct rank_identity identity = {.job = job, .flavour = flavour, .nodes = 1};
    settings_read(&papi_mpi.settings);
    if (papi_mpi.settings.off)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &identity.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &identity.ranks);
    PMPI_Query_thread(&identity.thread_level);
    name_job(job);
    PMPI_Bcast(job, JOB_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    rank_begin(&identity);
}

void job_end(void)
{
    rank_end();
    rank_done();
}

void job_abort(int code)
{
    rank_abort(code);
}
