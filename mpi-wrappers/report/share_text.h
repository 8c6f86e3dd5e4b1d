/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

/* Of counted builds: how much of the processor time outside MPI is counted, where the rest was, and how to
 * have that counted. A sentence of at most so many bytes; "": nothing is known of it, and was not to be. */
void share_sentence(char *text, size_t size, const struct job *job);
