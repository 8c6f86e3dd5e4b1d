/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/lock.h"
#include "components/counted/counted_modules.h"
#include <stddef.h>

/* Tables of what each slot adds to an event, which all event sets of the process use. Memory is the kernel's
 * directly: columns of a library that was loaded meanwhile are made by a read, perhaps in a signal's handler.
 */

/* Slots are looked at by chunks of so many; the bits of a word stand for one each. */
enum { CHUNK = 64 };

/* The bias: processors multiply unsigned numbers, so a coefficient is kept with this added. */
enum { COLUMN_BIAS_BITS = 31 };
#define COLUMN_BIAS (UINT32_C(1) << COLUMN_BIAS_BITS)

/* Columns may be read in steps of so many. */
enum { COLUMN_STEP = 4 };

/* A column, for each event and array of slots. */
struct column {
    size_t size;
    uint64_t *used;        /* a bit for each chunk in which a slot adds anything */
    uint32_t *coefficient; /* of each slot */
};

/* A module's slots of one kind. */
struct column_space {
    uint64_t n; /* slots, and what lies between them */
    /* Bits of each chunk: 1 for a slot, 0 for a variable of the program. After these, a bit for each chunk
     * that has slots only. */
    uint64_t *own;
    const struct column *column[COUNTED_EVENTS];
};

struct column_module {
    const struct counted_module *module;
    struct column_space space[2]; /* by enum counted_slots */
    struct column_module *next;
};

/* The columns that the process has. Modules are only ever added, at the end. */
struct columns {
    struct lock lock;
    struct lock asking; /* of the dynamic linker, how many there are */
    struct column_module *first;
};

/* Creates columns, none at first; NULL: out of memory. */
struct columns *columns_make(void);
void columns_free(struct columns *columns);

/* Adds modules that are new. The lock is held in this and the next functions. false: out of memory, or a
 * module is being loaded by what a signal interrupted; a later look finds them. */
bool columns_look(struct columns *columns);

/* Bits that say which of a module's numbers are slots, as column_space.own; NULL: out of memory. */
const uint64_t *columns_own(struct column_module *module, int kind);

/* An event's column; NULL: out of memory. */
const struct column *columns_get(struct column_module *module, int kind, int event);

/* Memory of the kernel, all zero, which is given back with its size; NULL: there is none. */
void *pages_get(size_t size);
void pages_free(void *memory, size_t size);

static inline uint64_t column_chunks(uint64_t slots)
{
    return (slots + CHUNK - 1) / CHUNK;
}

static inline uint64_t column_words(uint64_t slots)
{
    return (column_chunks(slots) + 63) / 64;
}
