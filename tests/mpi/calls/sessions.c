/* SPDX-License-Identifier: BSD-3-Clause */
/* sessions HOW: a program of MPI 4's sessions, without MPI_Init. "all": a communicator of itself, then one of
 * all ranks, with two sessions at a time; "alone": none of all ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Comm communicator(MPI_Session session, const char *set, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, set, &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static int work(MPI_Comm all)
{
    int rank, ranks, value = 1, got = 0;
    MPI_Comm again;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &ranks);
    MPI_Comm_dup(all, &again);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % ranks, 0, &got, 1, MPI_INT, (rank + ranks - 1) % ranks,
                     0, i % 2 ? all : again, MPI_STATUS_IGNORE);
    MPI_Comm_free(&again);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, all);
    return value == ranks && got == 1;
}

int main(int argc, char **argv)
{
    int right = 1;
    MPI_Session first, second;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Comm self = communicator(first, "mpi://SELF", "self");
    MPI_Barrier(self);
    if (argc > 1 && strcmp(argv[1], "all") == 0) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
        MPI_Comm all = communicator(second, "mpi://WORLD", "all");
        right = work(all);
        MPI_Comm_free(&all);
        MPI_Session_finalize(&second);
        MPI_Barrier(self);
    }
    MPI_Comm_free(&self);
    MPI_Session_finalize(&first);
    printf("%s\n", right ? "right" : "wrong");
    return !right;
}
