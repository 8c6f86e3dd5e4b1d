/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"

/* The sums of a profile: of nodes with what they call, of routines and of lines. All arrays have
 * PROFILE_EVENTS numbers for each. */

struct line_key {
    int32_t file, line;
};

struct totals {
    uint64_t *node;                         /* with its children */
    uint64_t *routine_self, *routine_total; /* total: with what it calls, once where it calls itself */
    struct index lines;                     /* struct line_key, of places with a known line */
    uint64_t *line_self, *line_total;
    struct arithmetic *line_arithmetic; /* of all places of a line */
    int *line_routine;                  /* the routine of a line that has most of the first event */
};

void totals_make(struct totals *totals, const struct profile *profile);
void totals_free(struct totals *totals);

static inline uint64_t totals_of(const uint64_t *array, int number, int event)
{
    return array[(size_t)number * PROFILE_EVENTS + (size_t)event];
}

/* The numbers of routines or lines, of which array has the values, with most of the first event first; those
 * with nothing are left out. Returns how many; *order is to be freed. */
int totals_order(const uint64_t *array, int n, int **order);
