/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes the sentence on a job that did not come to its end, or still runs: who waits for whom since when and
 * where, or which rank the others wait for, and what ended the job. False: there is nothing to say. */
bool hang_sentence(char *text, size_t room, const struct job *job);

/* True if the job was looked at while all its ranks ran. */
bool hang_runs(const struct job *job);

/* A signal's name: "SIGTERM". */
const char *hang_signal(int signal);
