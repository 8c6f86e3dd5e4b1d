/* SPDX-License-Identifier: BSD-3-Clause
 *
 * jobs FOLDER: two ranks. Step n begins when FOLDER/n is there: rank 0 sends 10 messages of 1000 bytes, rank
 * 1 receives them, and each touches 100 pages in a region. Before it, rank 0 waits outside of MPI, and rank 1
 * in MPI_Recv. The third step is the end.
 */
#include "papi.h"

#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STEPS = 2, MESSAGES = 10, BYTES = 1000, PAGES = 100 };

static void await(const char *folder, int step)
{
    char file[4096];
    snprintf(file, sizeof file, "%s/%d", folder, step);
    while (access(file, F_OK) != 0)
        usleep(20000);
}

static void touch(void)
{
    long size = sysconf(_SC_PAGESIZE);
    PAPI_hl_region_begin("touch");
    char *pages =
        mmap(NULL, (size_t)(PAGES * size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(pages, (size_t)(PAGES * size), MADV_NOHUGEPAGE);
    for (int i = 0; pages != MAP_FAILED && i < PAGES; i++)
        ((volatile char *)pages)[i * size] = 1;
    PAPI_hl_region_end("touch");
}

int main(int argc, char **argv)
{
    static char buffer[BYTES];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 1; step <= STEPS; step++) {
        if (rank == 0)
            await(argv[1], step);
        for (int i = 0; i < MESSAGES; i++)
            if (rank == 0)
                MPI_Send(buffer, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            else
                MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        touch();
    }
    if (rank == 0)
        await(argv[1], STEPS + 1);
    MPI_Finalize();
    return 0;
}
