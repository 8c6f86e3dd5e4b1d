/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions of the program's own, which MPI calls inside of its calls: their work is the program's. Rank 0's
 * takes longer. There are more of them than the library has places for, and each must be called in its own
 * place. */
#include "known.h"

#include <mpi.h>
#include <stdio.h>

static int rank, ranks;
static double work;

/* The result shows which one it was, and how often it was called. */
static void reduce(int own, const int *in, int *inout, int n)
{
    known_work(work);
    for (int i = 0; i < n; i++)
        inout[i] += in[i] + own;
}

#define REDUCTION(n)                                                                                         \
    static void reduction_##n(void *in, void *inout, int *length, MPI_Datatype *type)                        \
    {                                                                                                        \
        (void)type;                                                                                          \
        reduce(0##n, in, inout, *length);                                                                    \
    }
#define NAME(n) reduction_##n,
#define EIGHT(what, tens)                                                                                    \
    what(tens##0) what(tens##1) what(tens##2) what(tens##3) what(tens##4) what(tens##5) what(tens##6)        \
        what(tens##7)
#define ALL(what) EIGHT(what, 0) EIGHT(what, 1) EIGHT(what, 2) EIGHT(what, 3) EIGHT(what, 4)
ALL(REDUCTION)
static MPI_User_function *const reduction[] = {ALL(NAME)};
enum { REDUCTIONS = sizeof reduction / sizeof *reduction, TURNS = 25 };

static int is_right(int which, MPI_Op op)
{
    int value = 1, sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    if (sum != ranks + (ranks - 1) * which)
        fprintf(stderr, "reduction %d of %d ranks gives %d\n", which, ranks, sum);
    return sum == ranks + (ranks - 1) * which;
}

int main(int argc, char **argv)
{
    MPI_Op op[REDUCTIONS];
    int in[4] = {1, 2, 3, 4}, out[4];
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < REDUCTIONS; i++) {
        MPI_Op_create(reduction[i], 1, &op[i]);
        if (!is_right(i, op[i]))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    work = rank == 0 ? 0.03 : 0.01;
    for (int turn = 0; turn < TURNS; turn++)
        MPI_Allreduce(in, out, 4, MPI_INT, op[1], MPI_COMM_WORLD); /* place: waits */
    for (int i = 0; i < REDUCTIONS; i++)
        MPI_Op_free(&op[i]);
    known_end(rank);
    MPI_Finalize();
    return 0;
}
