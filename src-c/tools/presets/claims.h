/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Claims of presets: what each of them must count for each piece of work.
 */
#pragma once

#include "kernels.h"
#include "walks.h"

/* A preset that is a sum of quantities, in every kernel. */
struct exact_claim {
    const char *preset;
    int n;
    enum quantity part[4];
};
extern const struct exact_claim exact_claims[]; /* the last has no preset */

/* NAN: the kernel's number is not known. */
double exact_claim_of(const struct exact_claim *claim, const struct kernel *kernel);

/* A preset of which a kernel's iteration, or a walk's load, gives a number between two. */
struct range_claim {
    const char *preset;
    const char *kernel;       /* NULL: a walk */
    enum footprint footprint; /* of the walk */
    int level;                /* a cache that must hold the walk, at least twice, 0 to 2; -1: none */
    double least, most;
};
extern const struct range_claim range_claims[]; /* the last has no preset */

/* Why a preset has no claim. NULL: it has one. */
const char *claims_none(const char *preset);
