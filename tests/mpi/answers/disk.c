/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks write one file, each its own blocks, in collective calls, and wait for the disk: their work
 * between these is short. */
#include "known.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size = 4 << 20;
    char path[4096], *data = calloc(1, (size_t)size);
    const char *folder = getenv("KNOWN_DIR");
    MPI_File file;
    snprintf(path, sizeof path, "%s/written", folder ? folder : ".");
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    for (int turn = 0; turn < 10; turn++) {
        known_work(0.001);
        MPI_File_write_at_all(file, (MPI_Offset)rank * size, data, size, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_sync(file);
    }
    MPI_File_close(&file);
    known_end(rank);
    MPI_Finalize();
    free(data);
    return 0;
}
