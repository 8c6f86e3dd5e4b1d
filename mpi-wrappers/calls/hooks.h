/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_HOOKS_H
#define PAPI_MPI_HOOKS_H

#include "mpi/mpi_now.h"

/* What has to be done around some calls, whether they are counted or not; for MPI_Init and MPI_Finalize see
 * entry/lifecycle.h. */

void before_abort(int code);
void before_pcontrol(int level);

/* A communicator or a window goes; its handle may come again as another one's. */
void before_handles_change(void);
void before_request_freed(MPI_Request request);

#endif
