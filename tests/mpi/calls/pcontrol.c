/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions by MPI_Pcontrol, and its levels; with "wild" as its second argument whatever a register may hold,
 * in front of memory that is not there too. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Calls MPI_Pcontrol(level) with what may be left in the place of the name, which the caller did not pass. */
static void leave(int level, const void *leftover)
{
    static int (*volatile called)(int, ...) = MPI_Pcontrol;
    ((int (*)(int, const void *))(uintptr_t)called)(level, leftover);
}

static void wild(void)
{
    static char controls[] = "two\nlines", names[40][24], open_end[300];
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const void *leftovers[] = {NULL, (void *)1,   (void *)-1L, (void *)0xffff800000000000,
                               page, page + 4090, page + 4096, controls,
                               "",   "\xff\xfe",  open_end,    "\xe2\x80\xae",
                               leave};
    memset(page, 'a', 4096);
    memset(open_end, 'b', sizeof open_end - 1);
    mprotect(page + 4096, 4096, PROT_NONE);
    for (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++)
        for (int level = -1; level <= 2; level++)
            leave(level, leftovers[i]);
    for (int i = 0; i < 10; i++) { /* names that nobody ends */
        snprintf(names[i], sizeof names[i], "left over %d", i);
        for (int again = 0; again < 100; again++)
            leave(1, names[i]);
    }
    leave(-1, "never begun");
    MPI_Pcontrol(1);
    MPI_Pcontrol(2);
}

int main(int argc, char **argv)
{
    char step[16], end[4096 + 16];
    MPI_Init(&argc, &argv);
    if (argc > 1)
        wild();
    char *last = (char *)(((uintptr_t)end + 4095) / 4096 * 4096) - 6; /* a name over the end of a page */
    for (int i = 0; i < 3; i++) {
        MPI_Pcontrol(1, "solve");
        MPI_Barrier(MPI_COMM_WORLD);
        snprintf(step, sizeof step, "step %d", i);
        MPI_Pcontrol(1, step);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Pcontrol(-1, step);
        MPI_Pcontrol(-1, "solve");
    }
    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    MPI_Pcontrol(1, "first"); /* not one inside of the other */
    if (last > end) {
        strcpy(last, "over pages");
        MPI_Pcontrol(1, last);
        MPI_Pcontrol(-1, "first");
        MPI_Pcontrol(-1, last);
    }
    MPI_Finalize();
    return 0;
}
