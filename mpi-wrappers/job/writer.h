/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

#include <stdio.h>

/* The result file: JSON as docs/mpi-result.md describes it. The part before the rows, the rows, the end:
 * all rows have the same length, so that every rank can write its own at its place.
 *   head + ranks * job_row_length(job) + tail
 * is the whole file, and valid JSON; without rows head and tail alone are. */
enum { JOB_FILE_VERSION = 1, JOB_ROW_LENGTH = 1280 /* of a row without regions and calls */ };
#define JOB_FILE_FORMAT "papi_mpi result"

void job_write_head(FILE *out, const struct job *job);
size_t job_row_length(const struct job *job);
/* Writes a row of job_row_length bytes: blanks fill it up, and a line feed is its last byte. last: no comma
 * follows. */
void job_write_row(char *text, const struct job *job, const struct job_row *row, int last);
/* Writes all rows of the job. 0; -1: out of memory, with errno. */
int job_write_rows(FILE *out, const struct job *job);
void job_write_tail(FILE *out);

/* Make a job of the JSON file, or of records; job_free frees it. NULL: why says what is wrong, in a sentence
 * with the file's name (and the line, where there is one). With a job of records there are remarks in why:
 * files that were left out, ranks that still run; "": none. For papi_mpi_report: nothing of this is in the
 * wrapper library. */
struct job *job_read(const char *file, char *why, int room);                   /* the JSON file */
struct job *job_recover(char *const *directories, int n, char *why, int room); /* records */
