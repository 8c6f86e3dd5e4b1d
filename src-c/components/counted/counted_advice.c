/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/counted/counted_advice.h"

#include <stddef.h>
#include <string.h>

bool counted_linear_algebra(const char *library)
{
    static const char *const words[] = {"blas", "lapack", "mkl", "blis", "atlas"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(library, words[i]) != NULL)
            return true;
    return false;
}
