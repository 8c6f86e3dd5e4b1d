/* SPDX-License-Identifier: BSD-3-Clause */
/* How often the wrapper library asks MPI something while calls are counted: the functions that it asks are
 * defined here as well, and found first. One rank; says whose question, and how many. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

enum { CALLS = 1000 };

static int groups;

#define BEHIND(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    groups++;
    return BEHIND(PMPI_Comm_group)(comm, group);
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
    MPI_Finalize();
    return 0;
}
