/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

#include <stdio.h>

/* A table of the job as comma-separated values (RFC 4180, but with a line feed alone): a line of names,
 * then one line for each rank, metric, call or region. Names and units are those of the result file. */
struct csv_table {
    const char *name; /* "ranks" */
    void (*write)(FILE *out, const struct job *job);
};

/* NULL: there is none of this name. */
const struct csv_table *csv_table(const char *name);
