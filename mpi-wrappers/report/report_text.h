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

/* Each metric by name that the job was asked for: its value in the whole job, its unit, formula and
 * description, or why it has no value. */
void report_formulas(FILE *out, const struct job *job);

/* Prints what rank 0 says at the end: a line for each complaint, on stderr, and the report where
 * PAPI_MPI_REPORT has it; each with one write, so that no other process's text comes between. job: NULL:
 * there is no report. directory: what a relative file name is relative to. */
void print_all(const struct job *job, const char *result_file, const struct settings *settings,
               const char *directory);
