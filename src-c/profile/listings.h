/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "objects.h"
#include "spots.h"

/* Lists the instructions of the routines in which most of the first event happened, in the profile: their
 * code is taken from their files and disassembled by Capstone, on x86-64 in AT&T's syntax, which is that of
 * perf and objdump. A routine with less than a half per cent is left out, as is one
 * that is longer than LISTING_MOST_ROWS. The objects are no longer watched then. */
void listings_make(struct profile *profile, struct objects *objects, const struct spots *spots);
