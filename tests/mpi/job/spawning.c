/* SPDX-License-Identifier: BSD-3-Clause */
/* spawning: starts as many more of itself as a job of its own. Each rank of the first job works for 0.8 s,
 * while one of the second waits for its word, and then waits for that one, which works for 0.3 s. */
#include <mpi.h>

static void work(double seconds)
{
    double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        ;
}

int main(int argc, char **argv)
{
    MPI_Comm parent, other;
    int rank, ranks, word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, ranks, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                       MPI_ERRCODES_IGNORE);
        work(0.8);
        MPI_Send(&word, 1, MPI_INT, rank, 1, other);
        MPI_Recv(&word, 1, MPI_INT, rank, 1, other, MPI_STATUS_IGNORE);
    } else {
        other = parent;
        MPI_Recv(&word, 1, MPI_INT, rank, 1, other, MPI_STATUS_IGNORE);
        work(0.3);
        MPI_Send(&word, 1, MPI_INT, rank, 1, other);
    }
    MPI_Barrier(other);
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
