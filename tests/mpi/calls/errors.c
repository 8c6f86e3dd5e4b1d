/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments with MPI_ERRORS_RETURN: prints the class of each answer. errors.py compares with and
 * without the wrapper library. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void save_records(int rank);

static void say(const char *what, int result)
{
    int class = MPI_SUCCESS;
    if (result != MPI_SUCCESS)
        MPI_Error_class(result, &class);
    printf("%s %d %d\n", what, class, result == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int value = 0, provided;
    MPI_Comm none = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File file;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    say("rank", MPI_Send(&value, 1, MPI_INT, 17, 0, MPI_COMM_WORLD));
    say("count", MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    say("type", MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
    say("tag", MPI_Send(&value, 1, MPI_INT, 0, -77, MPI_COMM_WORLD));
    say("comm", MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    say("init", MPI_Send_init(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, &request));
    say("root", MPI_Bcast(&value, 1, MPI_INT, 5, MPI_COMM_WORLD));
    say("bcast type", MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD));
    say("reduce type", MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD));
    say("reduce op", MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
    say("free", MPI_Comm_free(&none));
    say("free request", MPI_Request_free(&request));
    say("start", MPI_Start(&request));
    say("file", MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    say("delete", MPI_File_delete("/nowhere/at/all", MPI_INFO_NULL));
    say("good", MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    fflush(stdout);
    save_records(0);
    MPI_Finalize();
    return 0;
}
