/* SPDX-License-Identifier: BSD-3-Clause
 * Two threads of each rank enter regions themselves, each on its own: both "part", in which rank 0's second
 * thread works longest and each waits for that of the other rank, the main thread "alone" before it, and the
 * second one "last" when the main one waits for it in a join. */
#include "known.h"

#include <mpi.h>
#include <papi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int rank;
static MPI_Comm comm[2];

static void begin(const char *region)
{
    if (PAPI_hl_region_begin(region) != PAPI_OK)
        abort();
}

static void end(const char *region, int thread, double began, double worked)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%d", region, thread);
    known_note(name, worked - began);
    snprintf(name, sizeof name, "%s.time", region);
    known_note(name, known_now() - began);
    if (PAPI_hl_region_end(region) != PAPI_OK)
        abort();
}

static void work(const char *region, int thread, double seconds, int meets)
{
    begin(region);
    double began = known_now();
    known_spin(seconds);
    double worked = known_now();
    if (meets)
        MPI_Barrier(comm[thread]);
    end(region, thread, began, worked);
}

static void *second(void *unused)
{
    (void)unused;
    work("part", 1, rank == 0 ? 0.6 : 0.1, 1);
    work("last", 1, rank == 0 ? 0.1 : 0.3, 0);
    MPI_Barrier(comm[1]);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    if (provided != MPI_THREAD_MULTIPLE || pthread_create(&thread, NULL, second, NULL) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    work("alone", 0, rank == 0 ? 0.1 : 0.2, 0);
    work("part", 0, 0.2, 1);
    pthread_join(thread, NULL);
    known_end(rank);
    MPI_Finalize();
    return 0;
}
