/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

/* Checks that hold for every job, wherever it was read from. */

/* The report and the comparison: at most 40 lines of 110 columns in which nothing is hidden. */
void fuzz_check_text(const struct job *job);
void fuzz_check_comparison(const struct job *job, const struct job *reference);

/* Each table has as many fields in every line as in the first. */
void fuzz_check_csv(const struct job *job);

/* The page: nothing that the job has is markup. */
void fuzz_check_page(const struct job *job);

/* Written as JSON and read again it has the same report. */
void fuzz_check_json(const struct job *job);

/* The result in an input; NULL: it is none, and the reason was checked. */
struct job *fuzz_read_job(const void *data, size_t size);
