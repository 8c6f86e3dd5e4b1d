/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages from rank 0 to rank 1, short ones and long ones.
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static const int sizes[] = {8, 4096, 100000, 4000000};
    int rank, failed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
        char *text = calloc(1, (size_t)sizes[i]);
        if (text == NULL)
            MPI_Abort(MPI_COMM_WORLD, 1);
        text[sizes[i] - 1] = rank == 0 ? 'x' : ' ';
        if (rank == 0)
            MPI_Send(text, sizes[i], MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(text, sizes[i], MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        failed |= text[sizes[i] - 1] != 'x';
        free(text);
    }
    MPI_Finalize();
    return failed;
}
