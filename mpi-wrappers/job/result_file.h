/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"
#include "job/place.h"

/* The result file as one process writes it: the head, the end, and room for rows between. Each returns 0, or
 * the errno of what failed. */

/* Makes place->part. rows: how many there is room for; *head: how long what comes before them is; *size: of
 * the whole. */
int result_file_begin(const struct place *place, const struct job *job, uint64_t rows, int64_t *head,
                      int64_t *size);

/* Whether each row is there as job_write_row makes it, in order of rank. */
int result_file_check_rows(const struct place *place, const struct job *job, uint64_t rows, int64_t head);

/* The whole, to a device or a pipe. */
int result_file_write_special(const struct place *place, const struct job *job);
