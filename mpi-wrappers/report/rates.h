/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_RATES_H
#define PAPI_MPI_RATES_H

#include "job/job.h"

/* What counters say together: where they are among the job's, -1 where they are not. */
struct rate_counters {
    int instructions, cycles, operations;
};
struct rate_counters rate_counters(const struct job *job);

/* A job's rates. NAN where a counter is missing, or some ranks have not counted it. */
struct rates {
    double ipc, gigahertz, flops; /* gigahertz: cycles over the time of the same ranks; flops: of one rank */
};

/* outside_mpi: from the counts and the time outside MPI alone, which job->counters_inside has; otherwise
 * from those of whole ranks, MPI included. */
struct rates rates_of(const struct job *job, int outside_mpi);
int rates_outside(const struct job *job); /* whether the job has counts and times outside MPI that fit */
double rate_sum(const struct job *job, int counter, int outside_mpi); /* over all ranks */
double rate_time(const struct job *job, int outside_mpi);             /* ns that these counts belong to */

#endif
