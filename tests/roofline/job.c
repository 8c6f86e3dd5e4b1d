/* SPDX-License-Identifier: BSD-3-Clause
 *
 * job [N [TIMES]]: each rank has a region, triad, whose operations and bytes are known: see program.c.
 */
#include "papi.h"

#include <mpi.h>
#include <stdlib.h>

static double *array(long n)
{
    double *all = malloc((size_t)n * sizeof *all);
    for (long i = 0; i < n && all != NULL; i++)
        all[i] = 1.0;
    return all;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 100000, times = argc > 2 ? atol(argv[2]) : 3;
    double *a = array(n), *b = array(n), *c = array(n);
    MPI_Init(&argc, &argv);
    if (a == NULL || b == NULL || c == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (long k = 0; k < times; k++) {
        PAPI_hl_region_begin("triad");
        for (long i = 0; i < n; i++)
            a[i] = b[i] + 3.0 * c[i];
        PAPI_hl_region_end("triad");
    }
    MPI_Finalize();
    return a[n - 1] == 4.0 ? 0 : 3;
}
