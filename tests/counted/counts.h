/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* Reads the counts of counted code as format.h describes them, without libpapi. */

enum { COUNTS = 32 };

/* All events of the calling thread, in all modules of the process. Status: the number of modules that were
 * weighed. */
int counts_read(uint64_t count[COUNTS]);
