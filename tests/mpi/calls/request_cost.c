/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the cost of making and freeing a persistent request beside many others: the processor time of the
 * fastest of some rounds, with few requests and with many, in nanoseconds, each without what MPI itself
 * takes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FEW = 1000, MANY = 200000, TURNS = 5 };

static MPI_Request request[MANY];
static char byte;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double least(int n, int (*make)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *),
                    int (*release)(MPI_Request *))
{
    double best = 1e18;
    for (int turn = 0; turn < TURNS * MANY / n && turn < 50; turn++) {
        double begin = now(), all;
        for (int i = 0; i < n; i++)
            make(&byte, 1, MPI_CHAR, 0, i % 1000, MPI_COMM_SELF, &request[i]);
        for (int i = 0; i < n; i++)
            release(&request[i]);
        all = (now() - begin) / n;
        best = all < best ? all : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double many = least(MANY, MPI_Send_init, MPI_Request_free);
    double own_many = least(MANY, PMPI_Send_init, PMPI_Request_free);
    double few = least(FEW, MPI_Send_init, MPI_Request_free);
    double own_few = least(FEW, PMPI_Send_init, PMPI_Request_free);
    printf("%.0f %.0f %.0f %.0f\n", few - own_few, many - own_many, own_few, own_many);
    MPI_Finalize();
    return 0;
}
