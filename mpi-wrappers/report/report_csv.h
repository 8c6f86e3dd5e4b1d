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

/* A text as a field, quoted where that is needed; "'" comes before one that spreadsheets would compute. */
void csv_field(FILE *out, const char *text);

/* One value a line: rank,node,host,region,call,site,metric,value,unit. What a value is not of is empty;
 * without a rank it is of the whole job. */
void csv_write_long(FILE *out, const struct job *job);

/* NULL: there is none of this name. */
const struct csv_table *csv_table(const char *name);

/* The call sites of both, a line for each place of the program: what one has not is empty. */
void csv_site_pairs(FILE *out, const struct job *job, const struct job *reference);

/* The tree of what calls MPI, summed over all ranks, as the literal that Hatchet reads
 * (hatchet.GraphFrame.from_literal): a list of one node, which has "frame", "metrics" and "children". Times
 * are seconds. */
void report_hatchet(FILE *out, const struct job *job);
