/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_WRITER_H
#define PAPI_MPI_WRITER_H

#include "job/job.h"

#include <stdio.h>

/* The result file: JSON as docs/mpi-result.md describes it. The part before the rows, the rows, the end:
 * a row has a fixed length, so that every rank can write its own at its place.
 *   head + ranks * JOB_ROW_LENGTH + tail
 * is the whole file, and valid JSON; without rows head and tail alone are. */
enum { JOB_FILE_VERSION = 1, JOB_ROW_LENGTH = 1280 };
#define JOB_FILE_FORMAT "papi_mpi result"

void job_write_head(FILE *out, const struct job *job);
/* Blanks fill it up to JOB_ROW_LENGTH - 1 bytes and a line feed; last: no comma. text has no \0 at its
 * end. */
void job_write_row(char text[JOB_ROW_LENGTH], const struct job *job, const struct job_row *row, int last);
void job_write_tail(FILE *out);

#endif
