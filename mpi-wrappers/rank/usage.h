/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* What the kernel accounts for this process, in the order of enum usage of the record. */

/* The figures now. */
void usage_read(uint64_t *usage);

/* used: from begin until now. */
void usage_since(const uint64_t *begin, uint64_t *used);
