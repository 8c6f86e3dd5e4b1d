/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures what following the critical path adds to calls of two ranks: mpi_path, two ranks. Prints the
 * nanoseconds of a message there and back, half of it, of an Allreduce of one double and of a Barrier: the
 * medians of some turns. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 51, CALLS = 100, KINDS = 4 };
static double taken[KINDS][TURNS];
static int rank;

static void message(int bytes)
{
    static char buffer[1 << 16];
    for (int way = 0; way < 2; way++)
        if (rank == way)
            MPI_Send(buffer, bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD);
        else
            MPI_Recv(buffer, bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void call(int kind)
{
    double in = 1, out;
    if (kind < 2)
        message(kind == 0 ? 8 : 1 << 16);
    else if (kind == 2)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

static int in_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = -1; turn < TURNS; turn++)
        for (int kind = 0; kind < KINDS; kind++) {
            double begin = MPI_Wtime();
            for (int i = 0; i < CALLS; i++)
                call(kind);
            if (turn >= 0)
                taken[kind][turn] = (MPI_Wtime() - begin) * 1e9 / CALLS / (kind < 2 ? 2 : 1);
        }
    for (int kind = 0; kind < KINDS && rank == 0; kind++) {
        qsort(taken[kind], TURNS, sizeof taken[kind][0], in_order);
        printf("%.0f ", taken[kind][TURNS / 2]);
    }
    MPI_Finalize();
    return 0;
}
