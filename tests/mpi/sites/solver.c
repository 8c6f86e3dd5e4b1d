/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that calls MPI for the program, several routines deep, without frame pointers. */
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

double solve(double value);

static __attribute__((noinline)) double product(double value)
{
    double sum;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* SITE product 12 */
    return sum;
}

/* Recurses with a frame of another size each time. */
static __attribute__((noinline)) double deeper(double value, size_t n)
{
    char *scratch = __builtin_alloca(n);
    memset(scratch, 1, n);
    return product(value * scratch[n / 2]) / 2 + scratch[n - 1];
}

__attribute__((visibility("default"))) double solve(double value)
{
    for (size_t i = 0; i < 6; i++)
        value = deeper(value, 32 + 48 * (i / 2)) * 0.5;
    return value;
}
