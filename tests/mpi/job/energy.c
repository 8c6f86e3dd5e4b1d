/* SPDX-License-Identifier: BSD-3-Clause */
/* energy FILE TEXT... [SECONDS]: during the job, rank 0 writes each text into its file, as a node would that
 * uses energy; with SECONDS after that time outside MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && argc % 2 == 0)
        usleep((useconds_t)(1e6 * atof(argv[argc - 1])));
    for (int i = 1; rank == 0 && i + 1 < argc; i += 2) {
        FILE *file = fopen(argv[i], "w");
        if (file == NULL || fprintf(file, "%s\n", argv[i + 1]) < 0 || fclose(file) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
