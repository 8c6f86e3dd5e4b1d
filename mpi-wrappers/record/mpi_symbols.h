/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The address of a function or an object of the MPI library, NULL where no MPI is loaded. The wrapper library
 * has no undefined symbol of MPI: it can be loaded into any program, and into one that opens its MPI with
 * dlopen, locally. "mpi/mpi_now.h", which is generated, is mpi.h with every PMPI_ function and every
 * predefined handle asked for through this; it costs about 100 ns each time. */
void *mpi_symbol(const char *name);

/* The same for a function that the wrapper library defines too: the next one behind it. */
void *mpi_symbol_behind(const char *name);
