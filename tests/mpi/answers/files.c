/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 alone writes a file and waits for the disk, for which the others wait in a collective call: 10 turns
 * of equal work. The others have more time in MPI, and are not to blame. */
#include "known.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void write_all(const char *path, char *data, int size)
{
    MPI_File file;
    double begin = known_now();
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    for (int part = 0; part < 4; part++)
        MPI_File_write(file, data, size, MPI_BYTE, MPI_STATUS_IGNORE); /* place: writes */
    MPI_File_close(&file);
    known_note("files", known_now() - begin);
}

int main(int argc, char **argv)
{
    int rank, size = 8 << 20;
    char path[4096], *data = calloc(1, (size_t)size);
    const char *folder = getenv("KNOWN_DIR");
    snprintf(path, sizeof path, "%s/written", folder ? folder : ".");
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 10; turn++) {
        known_work(0.02);
        if (rank == 0)
            write_all(path, data, size);
        MPI_Barrier(MPI_COMM_WORLD); /* place: waits */
    }
    known_end(rank);
    MPI_Finalize();
    free(data);
    return 0;
}
