/* SPDX-License-Identifier: BSD-3-Clause */
/* teams WAY MILLISECONDS: threads of OpenMP that work, as much as they sleep. Rank 0 has two of them; on
 * other ranks each thread works equally long. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long unit;
static int rank;

static void work(long units)
{
    struct timespec left = {units * unit / 1000, units * unit % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0)
        ;
}

/* The second thread has three times as much. */
static void uneven(void)
{
#pragma omp parallel num_threads(2)
    work(rank == 0 && omp_get_thread_num() == 1 ? 3 : 1);
}

/* The same before a barrier; then both have as much. */
static void barrier(void)
{
#pragma omp parallel num_threads(2)
    {
        work(rank == 0 && omp_get_thread_num() == 1 ? 3 : 1);
#pragma omp barrier
        work(1);
    }
}

/* Each has one of two iterations, of which the second takes three times as long. */
static void loop(void)
{
#pragma omp parallel for num_threads(2) schedule(dynamic, 1)
    for (int i = 0; i < 2; i++)
        work(rank == 0 && i == 1 ? 3 : 1);
}

static void static_loop(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 2; i++)
            work(rank == 0 && i == 1 ? 3 : 1);
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 2; i++)
            work(1);
    }
}

static void sections(void)
{
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        work(rank == 0 ? 3 : 1);
#pragma omp section
        work(1);
    }
}

/* The inner teams are work of the outer threads. */
static void nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int units = rank == 0 && omp_get_thread_num() == 1 ? 3 : 1;
#pragma omp parallel num_threads(2)
        work(units);
    }
}

/* Four tasks that one thread makes: both do them. */
static void tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 4; i++) {
#pragma omp task
        work(1);
    }
}

static void none(void)
{
    work(1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"uneven", uneven},     {"barrier", barrier}, {"loop", loop},   {"static_loop", static_loop},
                {"sections", sections}, {"nested", nested},   {"tasks", tasks}, {"none", none}};
    int level;
    if (argc != 3)
        return 2;
    unit = atol(argv[2]);
    uneven(); /* not in the job */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int turn = 0; turn < 2 && strcmp(ways[i].name, argv[1]) == 0; turn++)
            ways[i].run();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    uneven();
    return 0;
}
