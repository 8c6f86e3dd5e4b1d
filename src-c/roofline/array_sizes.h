/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cpus.h"

/* How large the arrays of a loop are, so that they come from a level and from nowhere else. */

/* Bytes for each of so many threads, all arrays together; 0: what the level has for a thread is not larger
 * than the level below. level: of cpus->cache, or n_caches for memory. */
long long sizes_level(const struct cpus *cpus, int level, int threads);

/* Of a loop (enum stream_loop): how many arrays it has, and elements of each in so many bytes. */
int sizes_arrays(int loop);
long sizes_elements(int loop, long long bytes);
