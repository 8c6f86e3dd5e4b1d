/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

/* Metrics by name that PAPI_EVENTS asked for, of a job or one of its regions: formulas of the counters of all
 * ranks together, and of the mean time of the ranks. Nothing of the table is needed, which may be another one
 * where a result is read. */
struct job_formula {
    const char *name, *unit, *formula, *description;
    const char *reason; /* why it was not counted; "": it was */
};

/* The i-th, with texts of the job; false: there are no more. */
bool job_formula(const struct job *job, int i, struct job_formula *out);

/* For readers: one more; false: there is no room. */
bool job_formula_add(struct job *job, const struct job_formula *formula);

/* Of a region, or NULL: from MPI_Init to MPI_Finalize. NAN: there is no value, and why. */
enum { FORMULA_REASON = 512 };
double job_formula_value(const struct job *job, const struct job_region *region,
                         const struct job_formula *formula, char reason[FORMULA_REASON]);
