/* SPDX-License-Identifier: BSD-3-Clause */
/* hybrid: 3 threads of each of two ranks open regions and call MPI in them: 10 times "work", with 2 exchanges
 * and, inside of it, "inner" with a barrier of the thread's own communicator. Then the main threads alone are
 * in "alone", with 5 barriers. */
#include <mpi.h>
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 3, VISITS = 10, EXCHANGES = 2, BARRIERS = 5 };

static int other;

static void *work(void *argument)
{
    MPI_Comm comm = *(MPI_Comm *)argument;
    int in = 0, out;
    for (int i = 0; i < VISITS; i++) {
        PAPI_hl_region_begin("work");
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        for (int k = 0; k < EXCHANGES; k++)
            MPI_Sendrecv(&in, 1, MPI_INT, other, 0, &out, 1, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
        PAPI_hl_region_begin("inner");
        MPI_Barrier(comm);
        PAPI_hl_region_end("inner");
        PAPI_hl_region_end("work");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int level, rank;
    MPI_Comm comm[THREADS];
    pthread_t thread[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level != MPI_THREAD_MULTIPLE)
        puts("no MPI_THREAD_MULTIPLE");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int i = 1; i < THREADS && level == MPI_THREAD_MULTIPLE; i++)
        pthread_create(&thread[i], NULL, work, &comm[i]);
    work(&comm[0]);
    for (int i = 1; i < THREADS && level == MPI_THREAD_MULTIPLE; i++)
        pthread_join(thread[i], NULL);
    PAPI_hl_region_begin("alone");
    for (int i = 0; i < BARRIERS; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    PAPI_hl_region_end("alone");
    MPI_Finalize();
    return 0;
}
