/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI ranks whose double-precision operations are known: rank r runs the loop r + 1 times as often as rank 0,
 * in a region, and calculates nothing else. With "wait" the faster rank then waits for the slower one in MPI,
 * which may calculate while it waits (Open MPI does). With "threads" two more threads do the same each.
 */
#include "../../emulated/operations_loop.h"
#include "papi.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MORE_THREADS = 2 };

static void *work(void *turns)
{
    operations_loop(*(long *)turns);
    return NULL;
}

static void work_in_threads(int n, long turns)
{
    pthread_t thread[MORE_THREADS];
    for (int i = 0; i < n; i++)
        pthread_create(&thread[i], NULL, work, &turns);
    work(&turns);
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
    int rank;
    long turns = argc > 1 ? atol(argv[1]) : 1;
    int threads = argc > 2 && strcmp(argv[2], "threads") == 0 ? MORE_THREADS : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = PAPI_hl_region_begin("loop");
    work_in_threads(threads, turns * (rank + 1L));
    if (code == PAPI_OK)
        code = PAPI_hl_region_end("loop");
    if (argc > 2 && strcmp(argv[2], "wait") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %ld operations\n", rank, OPERATIONS * turns * (rank + 1L) * (1 + threads));
    MPI_Finalize();
    if (code != PAPI_OK)
        fprintf(stderr, "rank %d: region: %s\n", rank, PAPI_strerror(code));
    return code != PAPI_OK;
}
