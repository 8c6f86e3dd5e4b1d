/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

/* Finds out what is at the job's call sites of which that is not known: routines, files and lines by libdw,
 * where libpapi_symbols.so and the files are here, and otherwise names that the loader knows. Those with most
 * time come first, and none is begun after so many seconds. Those that nothing is found for stay as they are,
 * as do all of a foreign job: a result that another user wrote opens no file that it names. */
void job_find_frames(struct job *job, int seconds);
