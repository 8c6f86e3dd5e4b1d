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

/* Writes one value a line: rank,node,host,region,call,site,metric,value,unit. Fields that do not apply are
 * empty; without a rank the value is of the whole job. */
void csv_write_long(FILE *out, const struct job *job);

/* The table of a name; NULL: there is none. */
const struct csv_table *csv_table(const char *name);

/* Writes the call sites of both runs, a line for each place of the program; fields of a run that does not
 * have it are empty. */
void csv_site_pairs(FILE *out, const struct job *job, const struct job *reference);

/* Writes the tree of what calls MPI, summed over all ranks, as the literal that Hatchet reads
 * (hatchet.GraphFrame.from_literal): a list of one node, which has "frame", "metrics" and "children". Times
 * are seconds. */
void report_hatchet(FILE *out, const struct job *job);
