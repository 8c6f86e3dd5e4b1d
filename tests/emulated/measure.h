/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "block.h"
#include "testing.h"

/* Assembly between PAPI_start and PAPI_stop. What these do themselves is counted too, the same each
 * time: the difference to block_empty is what a block does beside its return. */

void block_empty(void);

enum { MAX_MEASURED = 32 };

/* A new event set; skips outside the emulator. The list ends with NULL. */
int measure_set(const char *const *names);
/* Counts a call of the block, without the cost of starting and stopping; as many values as the set has
 * events. */
void measure(int es, void (*block)(void), long long *values);

/* Ends the test as skipped where the emulator does not run the program. */
void need_emulator(void);
