/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/block.h"
#include "record/settings.h"

/* What rank 0 says at the end: a line for each complaint, on stderr, and the report where PAPI_MPI_REPORT has
 * it; each with one write, so that no other process's text comes between. job: NULL: there is no report.
 * directory: what a relative file name is relative to. */
void print_all(const struct job *job, const char *result_file, const struct settings *settings,
               const char *directory);
