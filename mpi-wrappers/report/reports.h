/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/block.h"
#include "job/job.h"
#include "record/settings.h"

#include <stdio.h>

/* The report of a job: at most 40 lines of at most 110 columns, whatever its size; on a terminal that has
 * not so many columns, 55 lines of 80. result_file: what to name as the file with more in it, or NULL. 0; -1:
 * out of memory, with errno. */
int report_text(FILE *out, const struct job *job, const char *result_file);

/* View of one region of the job: its efficiencies, the MPI calls in it and its ranks. 0; -1: out of memory.
 * The other writes the calls as comma-separated values. */
int report_region(FILE *out, const struct job *job, int region);
void csv_region_calls(FILE *out, const struct job *job, int region);

/* Each metric by name that the job was asked for: its value in the whole job, its unit, formula and
 * description, or why it has no value. */
void report_formulas(FILE *out, const struct job *job);

/* Prints what rank 0 says at the end: a line for each complaint, on stderr, and the report where
 * PAPI_MPI_REPORT has it; each with one write, so that no other process's text comes between. job: NULL:
 * there is no report. directory: what a relative file name is relative to. */
void print_all(const struct job *job, const char *result_file, const struct settings *settings,
               const char *directory);

/* ---- CSV */

/* A table of the job as comma-separated values (RFC 4180, but with a line feed alone): a line of names,
 * then one line for each rank, metric, call or region. Names and units are those of the result file. */
struct csv_table {
    const char *name; /* "ranks" */
    void (*write)(FILE *out, const struct job *job);
};

/* A text as a field, quoted where that is needed; "'" comes before one that spreadsheets would compute. */
void csv_field(FILE *out, const char *text);

/* Write the keys of fields behind the first ones of a line of names, and their numbers behind those of
 * another. */
void report_number_titles(FILE *out, const char *first, const struct job_field *field);
void report_numbers(FILE *out, const void *from, const struct job_field *field);

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
