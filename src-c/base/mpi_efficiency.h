/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/* The function of the library of MPI reports behind PAPI_hl_efficiency, which looks for it by its name.
 * Returns a code of papi.h; why gets a sentence where that is not PAPI_OK. */
#define MPI_EFFICIENCY_FUNCTION "papi_mpi_efficiency"
typedef int mpi_efficiency_function(const char *region, int scope, double *values, char *why, size_t room);
