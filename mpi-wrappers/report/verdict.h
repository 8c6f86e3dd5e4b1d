/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

enum { VERDICT_ROOM = 512 };

/* One sentence: where the time went, and what to look at first. */
void verdict(char text[VERDICT_ROOM], const struct job *job);

/* Of a job that did not end well, or that not all ranks are of: which are missing, and what the others
 * were doing. "" for a whole job. */
void verdict_partial(char text[VERDICT_ROOM], const struct job *job);

/* Both, as one text. */
void verdict_whole(char text[2 * VERDICT_ROOM], const struct job *job);

/* The host that a rank ran on, where the rows tell; otherwise "". */
const char *verdict_host(const struct job *job, uint64_t rank);
