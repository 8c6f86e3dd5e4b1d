/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

/* Writes the job's reason why something is not counted without its advice, and the advice with the job's own
 * commands; "" where there is none. */
void count_advice(const struct job *job, char *reason, size_t reason_size, char *advice, size_t size);
