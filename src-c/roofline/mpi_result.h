/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "points.h"

/* The regions of an MPI job, from its result file (docs/mpi-result.md), or else the whole job: what each of
 * its nodes did in the mean, in the time of the rank that took longest. NULL, or what failed, a sentence to
 * be freed. */
char *job_read(const char *path, const struct roofs *roofs, struct points *points);
