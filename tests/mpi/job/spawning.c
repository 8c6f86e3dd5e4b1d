/* SPDX-License-Identifier: BSD-3-Clause */
/* spawning: starts two more of itself as a job of its own, and both jobs meet once. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                       MPI_ERRCODES_IGNORE);
    else
        other = parent;
    MPI_Barrier(other);
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
