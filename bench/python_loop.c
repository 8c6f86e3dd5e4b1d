/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loop of python_reads in C. */
#include <papi.h>

__attribute__((visibility("default"))) double nanoseconds_of_a_read(int es, long long *values, int n);

double nanoseconds_of_a_read(int es, long long *values, int n)
{
    long long begin = PAPI_get_real_nsec();
    for (int i = 0; i < n; i++)
        if (PAPI_read(es, values) != PAPI_OK)
            return -1;
    return (double)(PAPI_get_real_nsec() - begin) / n;
}
