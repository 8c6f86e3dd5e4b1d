/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An MPI program with a result of its own: numbers go round, and their sum is known.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    enum { ROUNDS = 20 };
    int rank, size, total = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ROUNDS; i++) {
        int sent = rank + i, got = 0;
        MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += got;
    }
    MPI_Allreduce(&sum, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int wanted = size * (ROUNDS * (ROUNDS - 1) / 2) + ROUNDS * (size * (size - 1) / 2);
    if (rank == 0)
        printf("%s: %d\n", total == wanted ? "right" : "wrong", total);
    MPI_Finalize();
    return total == wanted ? 0 : 1;
}
