/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_LIFECYCLE_H
#define PAPI_MPI_LIFECYCLE_H

/* A job from MPI_Init to MPI_Finalize. The wrappers call these; all MPI calls in here are PMPI_*. */

/* After MPI_Init or MPI_Init_thread has returned MPI_SUCCESS. Collective over MPI_COMM_WORLD. able: whether
 * this rank has what it takes; where one has not, nothing is counted on any. */
void job_begin(int able);

/* Before MPI_Finalize is passed on. Collective over MPI_COMM_WORLD: reduces, writes the result, prints the
 * report on rank 0, frees everything. */
void job_end(void);

/* Before MPI_Abort is passed on: no communication. */
void job_abort(int code);

#endif
