/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_COUNTED_DOT_H
#define PAPI_COUNTED_DOT_H

#include "components/counted/columns.h"

/* Sums of products of slots and columns. */

/* How many columns one pass takes. */
enum { DOT_COLUMNS = 4 };

/* An array of slots, as one event set looks at it: chunks that have never run are passed over. A bit is set
 * at any time, also by a handler that interrupts a reading, and never cleared. */
struct slot_view {
    const uint64_t *slot;
    uint64_t n;
    uint64_t *used;  /* a bit for each chunk that adds to an event of the set */
    uint64_t *awake; /* and that has had a slot other than 0 */
};

struct dot_way {
    /* Which of these chunks (bits of a word) have a slot other than 0. */
    uint64_t (*awake)(const uint64_t *slot, uint64_t chunks);
    /* Adds the products of all that is awake, and of the slots after the last whole chunk, to DOT_COLUMNS
     * sums. */
    void (*add)(const struct slot_view *view, const uint32_t *const column[DOT_COLUMNS], uint64_t *sum);
};

/* The fastest that the processor has. */
const struct dot_way *dot_choose(void);

/* The one in plain C, for all. */
extern const struct dot_way dot_plain;

/* Notes which chunks have run meanwhile. */
void dot_look(const struct dot_way *way, const struct slot_view *view);

#endif
