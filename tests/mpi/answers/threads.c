/* SPDX-License-Identifier: BSD-3-Clause */
/* Three threads of each rank call MPI, and the main thread waits for them in a join. How they share their
 * time between computing, MPI and waiting for something else is the argument:
 *   turns     those of rank 0 compute four times as long as those of rank 1, which wait for them
 *   blocked   all compute equally long and wait for a message; beside that, they sleep outside of MPI
 *   early     the threads of rank 1 end early, and its main thread waits in a collective call
 *   detached  nobody joins them: they compute after their last call, and are there when MPI ends
 *   broken    work and sleep of 0.1 ms, between calls that take nothing; rank 0 works more
 *   polling   those of "turns", which wait by MPI_Test */
#include "known.h"

#include <mpi.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3, TURNS = 10 };

static struct {
    const char *kind;
    int rank;
    sem_t done, never;
} job;

static int is(const char *kind)
{
    return strcmp(job.kind, kind) == 0;
}

static void wait_noted(void (*call)(int number), int number)
{
    double begin = known_now();
    call(number);
    known_note("mpi", known_now() - begin);
}

static void exchange(int number)
{
    int out = 1, in;
    int other = 1 - job.rank;
    MPI_Sendrecv(&out, 1, MPI_INT, other, number, &in, 1, MPI_INT, other, number, /* place: waits */
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The same, by a loop of tests. */
static void poll(int number)
{
    int out = 1, in, found = 0;
    int other = 1 - job.rank;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, other, number, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_INT, other, number, MPI_COMM_WORLD);
    while (!found)
        MPI_Test(&request, &found, MPI_STATUS_IGNORE); /* place: tests */
}

static void meet(int number)
{
    (void)number;
    MPI_Barrier(MPI_COMM_WORLD); /* place: meets */
}

static void nothing(int number)
{
    int size;
    MPI_Pack_size(1, MPI_INT, MPI_COMM_SELF, &size);
    MPI_Sendrecv(&number, 1, MPI_INT, MPI_PROC_NULL, 0, &size, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
}

static double processor(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Sleeps. A thread that is to go on and has no processor yet is no longer blocked. */
static void doze(unsigned microseconds)
{
    double before = known_delay();
    usleep(microseconds);
    known_note("useful", known_delay() - before);
}

/* Noted as a whole: a note takes longer than some of these. */
static void break_up(int number)
{
    double begin = processor() + known_delay();
    for (int k = 0; k < 100; k++) {
        for (double end = processor() + (job.rank == 0 ? 3e-4 : 1e-4); processor() < end;)
            ;
        nothing(number);
        usleep(100);
        nothing(number);
    }
    known_note("useful", processor() + known_delay() - begin);
}

static void turn(int number, int i)
{
    if (is("broken")) {
        break_up(number);
        return;
    }
    known_work(job.rank == 0 || is("blocked") || is("detached") ? 0.04 : 0.01);
    if (is("blocked"))
        doze(20000 * (unsigned)((i + number + job.rank) % 3));
    if (!is("early"))
        wait_noted(is("polling") ? poll : exchange, number);
}

static void *work(void *argument)
{
    int number = (int)(long)argument;
    for (int i = 0; i < TURNS; i++)
        turn(number, i);
    if (is("early"))
        wait_noted(exchange, number);
    if (is("detached"))
        known_work(job.rank == 0 ? 0.4 : 0.1);
    sem_post(&job.done);
    if (is("detached"))
        sem_wait(&job.never);
    return NULL;
}

static void run(void)
{
    pthread_t thread[THREADS];
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, work, (void *)i) != 0)
            abort();
    for (int i = 0; i < THREADS; i++) {
        if (is("detached"))
            sem_wait(&job.done), pthread_detach(thread[i]);
        else
            pthread_join(thread[i], NULL);
    }
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    known_begin();
    job.kind = argc > 1 ? argv[1] : "turns";
    sem_init(&job.done, 0, 0);
    sem_init(&job.never, 0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    run();
    wait_noted(meet, 0);
    known_end(job.rank);
    MPI_Finalize();
    return level == MPI_THREAD_MULTIPLE ? 0 : 1;
}
