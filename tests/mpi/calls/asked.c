/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the questions that the wrapper library asks MPI while calls are counted: the functions that it asks
 * are defined here as well, and found first. One rank; prints whose question it was, and how many there were.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

enum { CALLS = 1000 };

static int groups, shifts;

#define BEHIND(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    groups++;
    return BEHIND(PMPI_Comm_group)(comm, group);
}

int PMPI_Cart_shift(MPI_Comm comm, int direction, int by, int *source, int *dest)
{
    shifts++;
    return BEHIND(PMPI_Cart_shift)(comm, direction, by, source, dest);
}

/* A grid's neighbors, two of whose places have nobody. */
static void neighbors(void)
{
    int dims[3] = {1, 1, 1}, periods[3] = {1, 0, 1}, out[6] = {1, 2, 3, 4, 5, 6}, in[6];
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_SELF, 3, dims, periods, 0, &grid);
    shifts = 0;
    for (int i = 0; i < CALLS; i++)
        MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
    printf("shifts %d\n", shifts);
    MPI_Comm_free(&grid);
}

/* Two communicators that take turns. */
static void ranks(void)
{
    int value = 1, got;
    MPI_Comm comm[2];
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &comm[i]);
    groups = 0;
    for (int i = 0; i < CALLS; i++)
        MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, comm[i % 2], MPI_STATUS_IGNORE);
    printf("groups %d\n", groups);
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&comm[i]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    ranks();
    neighbors();
    MPI_Finalize();
    return 0;
}
