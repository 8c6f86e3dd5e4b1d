/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include "components/counted/columns.h"

/* Sums of products of slots and columns. */

/* Number of columns in a bundle, whose products are made together. */
enum { DOT_COLUMNS = 4, DOT_BUNDLES = MAX_COUNTERS / DOT_COLUMNS };

typedef uint64_t dot_four[4];

/* An array of slots, as one event set looks at it. Products are kept for each chunk, and made again when its
 * slots have changed: they only grow, so that equal sums of them are equal slots. The program's own
 * thread-local variables, which may lie between slots and shrink, are in no sum. A handler that interrupts a
 * reading may read, too: products are there before the sums that say so, and whoever goes on later makes an
 * older sum, which the next reading finds different. */
struct slot_view {
    const uint64_t *slot;
    uint64_t n;
    uint64_t *used;        /* a bit for each chunk that adds to an event of the set */
    const uint64_t *own;   /* of each chunk, a bit for each number that is a slot */
    const uint64_t *whole; /* a bit for each chunk of which all are */
    dot_four *seen;        /* by chunk, the sums of its slots (every fourth one) of which the products are */
    dot_four *product[DOT_BUNDLES];       /* by bundle and chunk */
    const uint32_t *column[MAX_COUNTERS]; /* all of each bundle that has products */
};

/* Makes the products of the first bundles of all chunks that have changed. */
typedef void dot_way(const struct slot_view *view, int bundles);

/* Chooses the fastest implementation that the processor has. */
dot_way *dot_choose(void);

/* The implementation in plain C, for all processors. */
dot_way dot_plain;

/* Forgets which slots products were made of, when there is another column: all are made anew. */
void dot_forget(const struct slot_view *view);

/* Adds a bundle's products to its sums. */
void dot_add(const struct slot_view *view, int bundle, uint64_t sum[DOT_COLUMNS]);
