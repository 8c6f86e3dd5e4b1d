/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rank 0 works in code of its own, the others in a routine of the C library, each for half a second of its
 * processor's time. Rank 0 has waited before, inside MPI. With "taken" each rank has a handler for SIGPROF.
 */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static char memory[1 << 20];

static void handler(int number)
{
    (void)number;
}

static void work(int rank)
{
    volatile double sum = 0;
    clock_t from = clock();
    while (clock() - from < CLOCKS_PER_SEC / 2)
        if (rank > 0)
            for (int i = 0; i < 20; i++) {
                memset(memory, i, sizeof memory);
                __asm__ volatile("" : : : "memory");
            }
        else
            for (int i = 0; i < 1000000; i++)
                sum = sum + 1.5;
}

int main(int argc, char **argv)
{
    int rank;
    if (argc > 1)
        signal(SIGPROF, handler);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        work(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        work(rank);
    MPI_Finalize();
    return 0;
}
