/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

#include <stdio.h>

/* A job beside an earlier one of the same program. NAN: cannot be said. */
struct comparison {
    double computation;  /* sum(U of the reference) / sum(U) */
    double instructions; /* reference's / this job's */
    double ipc;          /* this job's / reference's */
    double frequency;    /* this job's / reference's */
    double global;       /* parallel efficiency * computation */
    int outside_mpi;     /* the counters are those outside MPI, so that the three give computation */
};
struct comparison compare(const struct job *job, const struct job *reference);

/* At most 40 lines of at most 110 columns. */
void report_comparison(FILE *out, const struct job *job, const struct job *reference);
