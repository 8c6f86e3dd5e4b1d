/* SPDX-License-Identifier: BSD-3-Clause */
/* known_times FOLDER THREADS [end]: how long each call takes is known from within and from around it. Each
 * thread duplicates a communicator, of which an attribute is copied by a function of the program, which takes
 * a known time: 0, 300 us, 3 ms or 20 ms. FOLDER/RANK has a line "WITHIN AROUND" in nanoseconds for each call
 * of MPI_Comm_dup that counts. end: the process is killed within the last one. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 100, LEFT_OUT = 5, MOST_THREADS = 4 };

struct work {
    MPI_Comm comm;
    int ends; /* in the last call */
    int at;   /* the call that is next */
    int64_t within[CALLS], around[CALLS];
};

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void wait_until(int64_t end)
{
    if (end - now() > 1000000)
        nanosleep(&(struct timespec){0, end - now()}, NULL);
    while (now() < end)
        continue;
}

/* Most are short, and the long ones are spread. */
static int64_t wanted(int call)
{
    return call % 50 == 49 ? 20000000 : call % 12 == 11 ? 3000000 : call % 2 == 1 ? 300000 : 0;
}

static int copied(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag)
{
    struct work *work = value;
    int64_t begin = now();
    (void)comm, (void)key, (void)extra, (void)copy;
    wait_until(begin + wanted(work->at));
    if (work->ends && work->at == CALLS - 1)
        raise(SIGKILL);
    work->within[work->at] = now() - begin;
    *flag = 0;
    return MPI_SUCCESS;
}

static void *make_calls(void *argument)
{
    struct work *work = argument;
    for (work->at = 0; work->at < CALLS; work->at++) {
        MPI_Comm made;
        int64_t begin = now();
        MPI_Comm_dup(work->comm, &made);
        work->around[work->at] = now() - begin;
        MPI_Comm_free(&made);
    }
    return NULL;
}

/* Longer than all others. */
static void make_calls_left_out(struct work *work)
{
    struct work other = {.comm = work->comm, .at = CALLS / 2 - 1};
    int key;
    MPI_Pcontrol(0);
    MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(other.comm, key, &other);
    for (int i = 0; i < LEFT_OUT; i++) {
        MPI_Comm made;
        MPI_Comm_dup(other.comm, &made);
        MPI_Comm_free(&made);
    }
    MPI_Comm_delete_attr(other.comm, key);
    MPI_Comm_free_keyval(&key);
    MPI_Pcontrol(1);
}

static void write_times(FILE *out, const struct work *work)
{
    for (int i = 0; i < CALLS; i++)
        fprintf(out, "%lld %lld\n", (long long)work->within[i], (long long)work->around[i]);
}

int main(int argc, char **argv)
{
    static struct work work[MOST_THREADS];
    int threads = argc > 2 ? atoi(argv[2]) : 0, level, key, rank;
    char name[4096];
    pthread_t thread[MOST_THREADS];
    if (threads < 1 || threads > MOST_THREADS)
        return 2;
    MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    if (threads > 1 && level != MPI_THREAD_MULTIPLE) {
        puts("no MPI_THREAD_MULTIPLE");
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s/%d", argv[1], rank);
    FILE *out = fopen(name, "w");
    if (out == NULL)
        return 1;
    MPI_Pcontrol(0);
    MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    for (int i = 0; i < threads; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &work[i].comm);
        MPI_Comm_set_attr(work[i].comm, key, &work[i]);
        work[i].ends = argc > 3 && strcmp(argv[3], "end") == 0;
    }
    MPI_Pcontrol(1);
    for (int i = 1; i < threads; i++)
        pthread_create(&thread[i], NULL, make_calls, &work[i]);
    make_calls(&work[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    MPI_Comm_delete_attr(work[0].comm, key);
    make_calls_left_out(&work[0]);
    for (int i = 0; i < threads; i++)
        write_times(out, &work[i]);
    fclose(out);
    MPI_Finalize();
    return 0;
}
