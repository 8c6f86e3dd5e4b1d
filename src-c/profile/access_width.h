/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "objects.h"
#include "unwind.h"

/* Bytes that instructions access, which samples do not say: from the program's code. */
struct widths;

struct widths *widths_make(struct objects *objects);
void widths_free(struct widths *widths); /* NULL is allowed */

/* Bytes of the memory operand of the instruction at an address of a process; 0: not known. */
int widths_at(struct widths *widths, const struct space *space, uint64_t address);
