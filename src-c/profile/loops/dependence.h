/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "step.h"

/* The work of a loop's turn, and how its instructions wait for one another, from the code alone: with
 * the latencies of usual processors, all of whose accesses find their line in the first cache.
 *
 * Steps behind a branch count as if they all ran; what a function does that is called is not known. */

struct turn {
    int instructions, loads, stores, scalar_fp, vector_fp, calls, branches, locked, unknown;
    int divides, roots, converts, integer_divides; /* converts: also comparisons' own are not in it */
    int stack;                                     /* accesses to fixed places of the stack */
    int indirect;                                  /* loads from an address that was itself loaded */
    int far;                                       /* accesses whose address moves on by a register */
    int bits;                                      /* of the widest vectors; 0: none computes */
    int64_t stride;                                /* bytes a turn of the access that moves on most */
    double chain;                                  /* cycles that a turn waits for the turn before it */
    double at_least;                               /* cycles that the units need for a turn */
    double divider;                                /* cycles that divisions and roots keep their unit busy */
    enum work chain_work;                          /* what most of the chain's cycles are spent with */
    double chain_share;                            /* of that kind of work in the chain */
    bool chases;                                   /* the chain goes through addresses of loads */
    /* Addresses of the steps that stand for these; 0: none. */
    uint64_t chain_at, divide_at, root_at, convert_at, integer_divide_at, indirect_at, far_at, stride_at,
        branch_at, call_at, locked_at, store_at;
};

/* Looks at the steps of a turn, in the order of their addresses. */
void turn_look(const struct step *step, int n, struct turn *turn);

/* Latencies of one processor. */
struct chain_costs {
    const double *of_step;     /* of each step's work */
    double load[2], stored[2]; /* of what a load gives, and one that finds what was stored: into a general
                                * register, a vector */
};

/* The cycles that a turn waits for the turn before it, by these latencies. */
double turn_chain(const struct step *step, int n, const struct chain_costs *costs);

/* The cycles until the result of a kind of work can be used, and those for which its unit takes no other. */
double work_latency(enum work work);
double work_busy(enum work work);
