/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI ranks that each do work of a known length, for the wrapper library to count: rank r runs the counted
 * loop r + 1 times as often as rank 0. With "wait" they meet after it, and those that were faster wait in
 * MPI. Without the wrapper library it only says what it did.
 */
#include "counted_loop.h"
#include "papi.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { TURNS = 6000000, VISITS = 3 };

int main(int argc, char **argv)
{
    int rank, code = PAPI_OK;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < VISITS && code == PAPI_OK; i++) {
        code = PAPI_hl_region_begin("loop");
        counted_loop(TURNS * (rank + 1L) / VISITS);
        if (code == PAPI_OK)
            code = PAPI_hl_region_end("loop");
    }
    if (argc > 1 && strcmp(argv[1], "wait") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (code != PAPI_OK)
        fprintf(stderr, "rank %d: region: %s\n", rank, PAPI_strerror(code));
    else
        printf("rank %d: %d instructions\n", rank, COUNTED_LOOP_LENGTH * TURNS * (rank + 1));
    return code != PAPI_OK;
}
