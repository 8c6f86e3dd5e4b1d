/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/rank.h"

struct papi_mpi papi_mpi;
_Thread_local struct mpi_thread mpi_thread;
