/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaves MPI_Send by longjmp, in an error handler of the first of two ranks; what comes after is as on the
 * other. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

void save_records(int rank);

static jmp_buf behind;

static void handler(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    longjmp(behind, 1);
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Errhandler leaves;
    MPI_Comm own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(handler, &leaves);
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    MPI_Comm_set_errhandler(own, leaves);
    if (rank == 0) {
        if (setjmp(behind) == 0)
            MPI_Send(&value, 1, MPI_INT, 77, 0, own);
        else
            printf("left\n");
    }
    for (int i = 0; i < 10; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) { /* the last one before the end: MPI_Finalize is not the call that finds it out */
        if (setjmp(behind) == 0)
            MPI_Send(&value, 1, MPI_INT, 77, 0, own);
        else
            printf("left\n");
    }
    save_records(rank);
    MPI_Finalize();
    return 0;
}
