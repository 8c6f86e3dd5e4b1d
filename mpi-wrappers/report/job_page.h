/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"
#include "tools/common/openmetrics.h"

/* A job that runs, as monitoring systems read it: what each rank has done so far, in counters that only grow
 * from one look to the next, and the efficiencies of the whole. All zero, it has had no look yet. */
struct job_page {
    int n_ranks;             /* that were there at a look */
    uint64_t *rank;          /* their numbers */
    struct series *of_ranks; /* each has its columns, one rank after the other */
    struct series *of_job;   /* of the job as a whole */
    struct series *waits;    /* of this look alone: ranks in a call */
    int n_waits;
};

/* Takes the values of a look at the job. PAPI_OK, or PAPI_ENOMEM. */
int job_page_take(struct job_page *page, const struct job *job);

/* Prints the page. PAPI_OK, or PAPI_ENOMEM: it is not whole. */
int job_page_print(const struct job_page *page, FILE *out, enum openmetrics_form form);
void job_page_close(struct job_page *page);
