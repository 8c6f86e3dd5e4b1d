/* SPDX-License-Identifier: BSD-3-Clause */
/* sites [abort]: calls MPI in several routines. Behind each call stands where it is:
 *   SITE routine times [of]    made so many times by each rank; of: the routine into which the first one is
 *                              inlined
 *   IN routine times           here the library is called that makes MPI's calls so many times */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static inline __attribute__((always_inline)) double together(double value)
{
    double sum;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* SITE together 7 iterate */
    return sum;
}

static __attribute__((noinline)) double iterate(int n)
{
    double sum = rank;
    for (int i = 0; i < n; i++)
        sum = together(sum / ranks);
    return sum;
}

static __attribute__((noinline)) void around(int n)
{
    char out[100] = "", in[100];
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    for (int i = 0; i < n; i++) {
        MPI_Request request[2];
        MPI_Irecv(in, 100, MPI_CHAR, from, 1, MPI_COMM_WORLD, &request[0]); /* SITE around 5 */
        MPI_Isend(out, 100, MPI_CHAR, to, 1, MPI_COMM_WORLD, &request[1]);  /* SITE around 5 */
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);                       /* SITE around 5 */
    }
}

/* Calls MPI from a library that is unloaded before the end; the call sites are known all the same. */
static void use_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    double (*solve)(double) = NULL;
    if (library != NULL)
        *(void **)&solve = dlsym(library, "solve");
    if (solve == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        MPI_Abort(MPI_COMM_WORLD, 2);
        return;
    }
    double first = solve(1);  /* IN use_library 6 */
    double second = solve(2); /* IN use_library 6 */
    if (first + second < 0)
        puts("");
    dlclose(library);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD); /* SITE main 1 */
    if (iterate(7) < 0)
        return 1;
    around(5);
    use_library(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD); /* SITE main 1 */
    if (argc > 2 && strcmp(argv[2], "abort") == 0) {
        MPI_Barrier(MPI_COMM_WORLD); /* all have left the one before */
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Finalize();
    return 0;
}
