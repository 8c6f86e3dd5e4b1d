/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

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
/* What the counters of energy say, from MPI_Init to MPI_Finalize; NAN where there are none, or not of all
 * nodes. */
struct energy {
    const char *what;  /* whose: "the packages", "the whole system" */
    double joules;     /* of all nodes */
    double watts;      /* of a node */
    double delay;      /* joules times seconds */
    double operations; /* floating-point, for each joule */
};
struct energy energy_of(const struct job *job);

/* What the nodes used while their first ranks were in a region; NAN as above. */
double region_joules(const struct job *job, const struct job_region *region);

double rate_sum(const struct job *job, int counter, int outside_mpi); /* over all ranks */
double rate_time(const struct job *job, int outside_mpi);             /* ns that these counts belong to */
