/* SPDX-License-Identifier: BSD-3-Clause */
/* Many persistent requests at a time, three times over. One rank, which sends to itself. */
#include <mpi.h>
#include <stdlib.h>

void save_records(int rank);

enum { MANY = 20000 };

int main(int argc, char **argv)
{
    MPI_Request *request;
    char *buffer;
    MPI_Init(&argc, &argv);
    request = malloc(MANY * sizeof *request);
    buffer = calloc(MANY, 2);
    if (!request || !buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < MANY; i++)
            MPI_Send_init(buffer + i, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request[i]);
        for (int i = 0; i < MANY; i++)
            MPI_Request_free(&request[i]);
        for (int i = 0; i < MANY / 2; i++) {
            MPI_Send_init(buffer + i, 1, MPI_CHAR, 0, i % 1000, MPI_COMM_SELF, &request[2 * i]);
            MPI_Recv_init(buffer + MANY + i, 1, MPI_CHAR, 0, i % 1000, MPI_COMM_SELF, &request[2 * i + 1]);
        }
        MPI_Startall(MANY, request);
        MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; i++)
            MPI_Request_free(&request[i]);
    }
    save_records(0);
    MPI_Finalize();
    free(request);
    free(buffer);
    return 0;
}
