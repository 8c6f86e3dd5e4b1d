/* SPDX-License-Identifier: BSD-3-Clause */
/* Has one rank seem to send to many: the function that translates a communicator's ranks to those of
 * MPI_COMM_WORLD is defined here as well, and found first. */
#include <dlfcn.h>
#include <mpi.h>

void save_records(int rank);

static int partner = MPI_UNDEFINED, asked; /* who rank 0 of all communicators is said to be */

int PMPI_Group_translate_ranks(MPI_Group from, int n, const int ranks[], MPI_Group to, int found[])
{
    __typeof__(&PMPI_Group_translate_ranks) behind = dlsym(RTLD_NEXT, "PMPI_Group_translate_ranks");
    int result = behind(from, n, ranks, to, found);

    if (asked && n == 1)
        found[0] = partner;
    return result;
}

static void send_to(int rank)
{
    char value = 1, got;
    MPI_Comm comm;
    partner = rank;
    asked = 1;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Sendrecv(&value, 1, MPI_CHAR, 0, 0, &got, 1, MPI_CHAR, 0, 0, comm, MPI_STATUS_IGNORE);
    asked = 0;
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 200; i++)
        send_to(256 * i);
    send_to(256 * 199);
    for (int i = 0; i < 3; i++)
        send_to(MPI_UNDEFINED);
    if (argc > 1)
        for (int i = 0; i < 100; i++)
            send_to(256 * i + 1);
    save_records(0);
    MPI_Finalize();
    return 0;
}
