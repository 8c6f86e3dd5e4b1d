/* SPDX-License-Identifier: BSD-3-Clause */
#include "wide.h"

#include <stdlib.h>

int *fpapi_narrow(const long long *wide, int n)
{
    int *values = malloc((n > 0 ? (size_t)n : 1) * sizeof *values);
    for (int i = 0; values && i < n; i++)
        values[i] = (int)wide[i];
    return values;
}

void fpapi_widen_array(long long *wide, int *values, int n, int result)
{
    for (int i = 0; values && result >= 0 && i < n; i++)
        wide[i] = values[i];
    free(values);
}

void fpapi_release(int *values)
{
    free(values);
}
