/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Estimated time of blocks of instructions, by a model of a processor.
 *
 * A block needs the cycles of whatever is busy longest: a group of units, or the beginning of instructions.
 * The blocks of an innermost loop share these, and wait for the loop's chain: what a turn needs of the turn
 * before. Branches that may have been mispredicted are those that went the rarer way: half of them are taken
 * to have been, none at least, all at most. */

/* A block that ran. */
struct block {
    const uint8_t *code; /* NULL: not known */
    uint64_t address;
    uint32_t size;
    uint64_t runs, taken; /* taken: its last branch, if that is conditional */
    size_t routine, line; /* the caller's: blocks of one routine have the same number */
    double cycles, least, most;
};

enum machine_code { CODE_X86_64, CODE_ARM64 };

/* Estimates all blocks of an object, which are in the order of their addresses. */
void estimate_blocks(const struct model *model, enum machine_code code, struct block *block, size_t n);
