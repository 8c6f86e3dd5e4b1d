/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing.h"

/* Assembly between PAPI_start and PAPI_stop. What these do themselves is counted too, the same each
 * time: the difference to block_empty is what a block does beside its return. */

/* A function in assembler that returns; it may change memory that is its own and the registers that
 * a function may change. */
#define BLOCK_AT(boundary, name, text)                                                                       \
    __asm__(".text\n\t.balign " #boundary "\n\t.globl block_" #name "\n\t.type block_" #name                 \
            ", %function\nblock_" #name ":\n\t" text "\n\tret\n\t.size block_" #name ", .-block_" #name      \
            "\n");                                                                                           \
    void block_##name(void)
#define BLOCK(name, text) BLOCK_AT(64, name, text)

void block_empty(void);

enum { MAX_MEASURED = 32 };

/* A new event set; skips outside the emulator. The list ends with NULL. */
int measure_set(const char *const *names);
/* What the block counts, as many values as the set has events. */
void measure(int es, void (*block)(void), long long *values);

/* Ends the test as skipped where the emulator does not run the program. */
void need_emulator(void);
