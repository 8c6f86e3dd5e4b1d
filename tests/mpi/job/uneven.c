/* SPDX-License-Identifier: BSD-3-Clause */
/* uneven: every rank does another number of things. Rank r sends 10 * (r + 1) messages of 100 * (r
 * + 1) bytes to each rank after it, one empty message to itself, and takes part in 3 reductions of 80 bytes;
 * ranks with odd numbers make 5 more calls. SECONDS: how long each waits before the end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { MESSAGES = 10, BYTES = 100, NUMBERS = 10, LARGEST = BYTES * 64 };

static void send_on(int rank, int ranks)
{
    static char data[LARGEST];
    for (int from = 0; from < ranks; from++) {
        for (int i = 0; i < MESSAGES * (from + 1); i++) {
            for (int to = from + 1; to < ranks; to++) {
                if (rank == from)
                    MPI_Send(data, BYTES * (from + 1), MPI_BYTE, to, i, MPI_COMM_WORLD);
                if (rank == to)
                    MPI_Recv(data, LARGEST, MPI_BYTE, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        }
    }
}

static void limit_files(void)
{
    const char *size = getenv("UNEVEN_FILE_SIZE");
    if (size != NULL) {
        rlim_t most = (rlim_t)atol(size);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, most});
    }
}

int main(int argc, char **argv)
{
    int rank, ranks, flag;
    double in[NUMBERS] = {1}, out[NUMBERS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    send_on(rank, ranks);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, rank, 7, NULL, 0, MPI_BYTE, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        MPI_Allreduce(in, out, NUMBERS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 5 * (rank % 2); i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    limit_files();
    MPI_Finalize();
    if (rank == 0)
        printf("uneven is through: %g\n", out[0]);
    return 0;
}
