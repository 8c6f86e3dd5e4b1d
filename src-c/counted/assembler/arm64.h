/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "assembler.h"

/* What it does to registers is known. */
bool is_known(const struct statement *statement);

/* Registers for a moment. */
struct taken {
    int number[MOST_SCRATCH];
    unsigned n;
    bool saved; /* they were not dead */
};

/* So many: dead ones, or others, which are saved, none of those to avoid. */
struct taken take_scratch(FILE *out, const int *scratch, unsigned n, uint64_t avoid);
void give_back(FILE *out, const struct taken *taken);
/* Adds a number or a register to a slot, with two registers, of the process three. */
void put_addition(FILE *out, enum slots slots, struct slot slot, const int *number, const char *what);
