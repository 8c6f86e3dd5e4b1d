/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include <string.h>

/* The tables that a counted program or shared library (a module) carries: written by the assembler, completed
 * by the weigher after the link, read by the library in the process. Nothing else is needed then: no symbol,
 * no debug information, no file.
 *
 *   slots    numbers that the program adds to while it runs, uint64_t, one array for each thread and
 *            module (or one for the process, see COUNTED_PROCESS); they are zero when the thread starts
 *   blocks   pieces of code without a jump into or out of them. How often a block ran is a sum of slots,
 *            added or subtracted (its terms)
 *   weights  what one run of a block adds to each event, by the classification of the emulated component
 *
 * So an event's count in a thread is
 *
 *   sum over the blocks of weight[event] * (sum over the block's terms of +-slot)
 *
 * which is one fixed number for each slot: a read is a dot product. The sums wrap around modulo 2^64, and a
 * difference of two readings is right nevertheless. TAKEN_BRANCHES and NOT_TAKEN_BRANCHES are sums of
 * slots by other terms.
 *
 * A reading by the thread itself, in a function that counted code called, is exact: calls end blocks. A
 * reading by another thread or in a signal handler may have counted a block that is only half done, or have
 * missed one: slots of one loop change one after the other.
 *
 * Where it is found: a note (PT_NOTE, by dl_iterate_phdr, in static programs too) named COUNTED_NOTE_NAME
 * of the type COUNTED_NOTE_TYPE, whose descriptor is one int64_t: the distance from itself to the module's
 * struct counted_module. All distances here are from the field that holds them.
 */

enum { COUNTED_VERSION = 1 };

/* The emulator's events that concern instructions, in the same order and by the same names. */
enum counted_event {
#define EVENT(name, description) COUNTED_##name,
#define CACHE_EVENT(name, description)
#include "emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
    COUNTED_EVENTS
};

_Static_assert(COUNTED_EVENTS == 32, "another format: the tables have this many columns");

#define COUNTED_NOTE_NAME "PAPI" /* with its 0: 5 bytes and padding to 8 */
#define COUNTED_MAGIC "papicnt"
enum { COUNTED_NOTE_TYPE = 0x636e74 };

/* The head of a module's tables, made when it is linked. */
struct counted_module {
    char magic[8]; /* COUNTED_MAGIC */
    uint32_t version;
    uint32_t events; /* columns of weights */
    /* The units, one behind the other. */
    int64_t units, units_end;
    /* A thread's slots begin at its thread pointer + anchor() - anchor_block + slots. */
    int64_t anchor;       /* the distance to a function: int64_t anchor(void), where a thread-local variable
                           * is from the thread pointer, of all threads alike */
    int64_t anchor_block; /* the same variable, from the start of the module's thread-local memory */
    /* The process's slots; both are the same place: there are none. */
    int64_t process, process_end;
    /* The weigher's part. */
    uint32_t weighed; /* 1: it was here; else blocks have no weights, and nothing below is known */
    uint32_t n_units;
    int64_t slots;      /* of a thread, from the start of the module's thread-local memory */
    uint64_t n_slots;   /* of a thread; some may be other variables, which no block names */
    uint64_t n_blocks;  /* of all units */
    uint64_t n_unknown; /* instructions that nobody knows: counted as INSTRUCTIONS and UNKNOWN_INSTRUCTIONS */
    uint64_t reserved[4];
};

enum counted_slots {
    COUNTED_THREAD = 0,
    COUNTED_PROCESS = 1, /* shared by all threads, which add to them with locked instructions */
};

/* The blocks of one or a few sections of one object file. */
struct counted_unit {
    uint32_t
        size; /* with all that belongs to it, a multiple of 8: the next unit follows. 0: padding of 8 bytes */
    uint32_t kind; /* enum counted_slots */
    /* The unit's first slot: for COUNTED_THREAD, from the start of the module's thread-local memory, as
     * counted_module.slots; for COUNTED_PROCESS, the distance. */
    int64_t slots;
    uint32_t n_slots;
    uint32_t n_blocks; /* which follow, of different sizes */
};

struct counted_block {
    int64_t start; /* the distance to its first instruction */
    uint32_t length;
    uint32_t line; /* of the first instruction; 0: not known (-g) */
    /* Texts, as distances from the beginning of the unit; 0: not known. */
    uint32_t file, function;
    uint16_t n_terms, n_taken;
    uint32_t flags; /* COUNTED_CONDITIONAL */
    /* The weigher's part: what one run adds to each event. TAKEN_BRANCHES and NOT_TAKEN_BRANCHES are 0
     * here. */
    uint16_t weight[COUNTED_EVENTS];
    /* The number of times that it ran: n_terms numbers, slot + 1 to add and -(slot + 1) to subtract; slots
     * are the unit's. Then n_taken of the same kind: how often the conditional branch at its end was taken
     * (not taken: the rest). Then 0 or 4 bytes of padding. */
    int32_t term[];
};

enum {
    COUNTED_CONDITIONAL = 1, /* ends with a conditional branch */
};

static inline const struct counted_block *counted_first_block(const struct counted_unit *unit)
{
    return (const struct counted_block *)(const void *)(unit + 1);
}

static inline uint64_t counted_block_size(const struct counted_block *block)
{
    return sizeof *block + (((uint64_t)block->n_terms + block->n_taken) * sizeof(int32_t) + 7) / 8 * 8;
}

static inline const struct counted_block *counted_next_block(const struct counted_block *block)
{
    return (const struct counted_block *)(const void *)((const char *)block + counted_block_size(block));
}

static inline const void *counted_at(const int64_t *distance)
{
    return (const void *)((uintptr_t)distance + (uintptr_t)*distance);
}

/* The module of a note's descriptor, which is aligned to 4 bytes only. */
static inline const struct counted_module *counted_module_of(const void *descriptor)
{
    int64_t distance;
    memcpy(&distance, descriptor, sizeof distance);
    return (const struct counted_module *)((uintptr_t)descriptor + (uintptr_t)distance);
}
