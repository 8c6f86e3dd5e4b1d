/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An MPI program: 2,000 operations in double precision on each rank, outside MPI.
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    volatile double x = 1;
    for (int i = 0; i < 1000; i++)
        x = x * 1.0000001 + 1e-9;
    int fine = x > 0;
    MPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Finalize();
    return fine ? 0 : 1;
}
