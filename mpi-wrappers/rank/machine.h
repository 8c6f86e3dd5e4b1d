/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* What the kernel says of the node that a rank is on. root: before each path ("" is this machine). */

/* Bytes of memory that this process may use, with all others for which the same holds: that of the node, or
 * less where its control group, or one that this is in, has a limit. 0: not known. */
uint64_t machine_memory(const char *root);

/* Hertz of a CPU now, as cpufreq has it. 0: not known, as in most virtual machines. */
uint64_t machine_frequency(const char *root, int cpu);

/* What the kernel accounts for this process, in the order of enum usage of the record. */

/* The figures now. */
void usage_read(uint64_t *usage);

/* used: from begin until now. */
void usage_since(const uint64_t *begin, uint64_t *used);
