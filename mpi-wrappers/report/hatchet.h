/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

#include <stdio.h>

/* The tree of what calls MPI, summed over all ranks, as the literal that Hatchet reads
 * (hatchet.GraphFrame.from_literal): a list of one node, which has "frame", "metrics" and "children". Times
 * are seconds. */
void report_hatchet(FILE *out, const struct job *job);
