/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "assembler.h"

/* True if the registers that the statement reads and writes are known. */
bool is_known(const struct statement *statement);

/* Registers that counters borrow. */
struct taken {
    int number[MOST_SCRATCH];
    unsigned n;
    bool saved; /* they were not dead */
};

/* Takes n registers: dead ones of scratch, or others, which are saved first; none of the set avoid. give_back
 * restores them. */
struct taken take_scratch(FILE *out, const int *scratch, unsigned n, uint64_t avoid);
void give_back(FILE *out, const struct taken *taken);
/* Adds a number or a register to a slot. Needs two registers, for slots of the process three. */
void put_addition(FILE *out, enum slots slots, struct slot slot, const int *number, const char *what);
