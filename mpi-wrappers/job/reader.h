/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

/* Both make a job that job_free frees. NULL: what is wrong is in why, a sentence with the file's name
 * (and the line, where there is one). With a job of records there are remarks in why: files that were left
 * out, ranks that still run; "": none. For papi_mpi_report: nothing of this is in the wrapper library. */
struct job *job_read(const char *file, char *why, int room);                   /* the JSON file */
struct job *job_recover(char *const *directories, int n, char *why, int room); /* records */
