/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"

/* Loops of a piece of code: natural loops, each with one head that all ways into it pass. */

struct listed_loop {
    int head;   /* the row at which it begins an iteration */
    int parent; /* the loop around it, by its number; -1: none */
    int depth;  /* 1: outermost */
    /* Lines of the routine that it has, or of what was inlined where it has none of the routine; 0: not
     * known. */
    int32_t file, first_line, last_line;
    int32_t routine; /* which that is */
    uint64_t self[PROFILE_EVENTS],
        nest[PROFILE_EVENTS]; /* nest: with the loops inside, without what is called */
    uint64_t iterations,
        entries; /* where runs are counted: how often it began an iteration, and from outside */
    struct arithmetic arithmetic; /* of its rows at which something happened, without the loops inside */
};

struct listed_loops {
    struct listed_loop *loop; /* outer ones before those inside */
    int n;
    int *of_row; /* the innermost loop of each row; -1: none */
};

void listed_loops_find(struct listed_loops *loops, const struct profile *profile, const struct listing *code);
void listed_loops_free(struct listed_loops *loops);
