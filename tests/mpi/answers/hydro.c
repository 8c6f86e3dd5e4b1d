/* SPDX-License-Identifier: BSD-3-Clause */
/* A step of hydrodynamics on a cube that two ranks share, with threads inside each rank and a region for each
 * part of the step. Nodes are as many on both ranks; elements of rank 1 have the expensive material; for the
 * length of the time step, which all need, another rank is late in each step. In each part the threads first
 * sweep over the rank's cells, and then compute for so long as the part is to take. */
#include "known.h"
#include "papi.h"

#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { STEPS = 10, SIDE = 16, PLANE = SIDE * SIDE, CELLS = SIDE * PLANE };

struct cube {
    double cell[CELLS + 2 * PLANE], next[CELLS + 2 * PLANE]; /* with the neighbour's plane on either side */
};

static struct cube cube;
static double began, left;

/* Outside of regions a rank copies the cells, and the library reads counters. */
static void enter(const char *region, int step)
{
    char name[64];
    PAPI_hl_region_begin(region);
    began = known_now();
    snprintf(name, sizeof name, "before.%s.%d", region, step);
    known_note(name, began - left);
    known_note("useful", began - left);
}

static void leave(const char *region)
{
    char name[64];
    left = known_now();
    snprintf(name, sizeof name, "%s.time", region);
    known_note(name, left - began);
    PAPI_hl_region_end(region);
}

/* The mean of each cell and its six neighbours, of a thread's planes. */
static void sweep(void)
{
#pragma omp for nowait
    for (int i = PLANE; i < PLANE + CELLS; i++) {
        int row = i % PLANE;
        double west = i % SIDE > 0 ? cube.cell[i - 1] : 0, east = i % SIDE < SIDE - 1 ? cube.cell[i + 1] : 0;
        double south = row >= SIDE ? cube.cell[i - SIDE] : 0,
               north = row < PLANE - SIDE ? cube.cell[i + SIDE] : 0;
        cube.next[i] =
            (cube.cell[i] + west + east + south + north + cube.cell[i - PLANE] + cube.cell[i + PLANE]) / 7;
    }
}

/* The threads' work in a part of a step. Thread 1 has half as much to do, which a rank's useful time does not
 * show. */
static void compute(const char *region, int step, double seconds)
{
    char name[64];
    double begin = known_now();
#pragma omp parallel num_threads(2)
    {
        sweep();
        known_spin(omp_get_thread_num() == 0 ? seconds : seconds / 2);
    }
    double took = known_now() - begin;
    snprintf(name, sizeof name, "%s.%d", region, step);
    known_note(name, took);
    known_note("useful", took);
}

static void exchange(int rank)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int own = rank == 0 ? CELLS : PLANE, theirs = rank == 0 ? CELLS + PLANE : 0;
    MPI_Irecv(&cube.next[theirs], PLANE, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&cube.next[own], PLANE, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, status); /* place: waits */
}

int main(int argc, char **argv)
{
    int rank, level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = PLANE; i < PLANE + CELLS; i++)
        cube.cell[i] = rank + i;
    MPI_Barrier(MPI_COMM_WORLD);
    left = known_now();
    for (int step = 0; step < STEPS; step++) {
        double own = 1.0 / (1 + rank + step), least;
        enter("nodes", step);
        compute("nodes", step, 0.02);
        exchange(rank);
        leave("nodes");
        enter("elements", step);
        compute("elements", step, rank == 1 ? 0.09 : 0.01);
        exchange(rank);
        leave("elements");
        enter("time_step", step);
        compute("time_step", step, step % 2 == rank ? 0.02 : 0.005);
        MPI_Allreduce(&own, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        leave("time_step");
        for (int i = 0; i < CELLS + 2 * PLANE; i++)
            cube.cell[i] = cube.next[i];
    }
    known_end(rank);
    MPI_Finalize();
    return 0;
}
