/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Simulated caches of one thread: set-associative, least recently used line out, lines brought in
 * for writes too; a level is asked for what the one before it misses. There is no prefetching, no
 * other thread and no translation: addresses are the program's. Nothing is written back, and a line
 * that leaves one level stays in the others.
 *
 * A missing line asks the next level for each line of that level which it covers: two if lines are
 * half as long there, one if they are longer. Where a first level is left out, each access or
 * instruction asks the next one for each line that it touches. */

struct cache_geometry {
    uint64_t size; /* bytes; 0: there is no such cache, and requests go on to the next level */
    uint32_t ways, line;
};

enum { CACHE_L1D, CACHE_L1I, CACHE_L2, CACHE_L3, CACHES };

enum {
    CACHE_MAX_WAYS = 4096, /* each of which a miss looks at */
    CACHE_TEXT = 192,      /* room for every text of cache_geometry_text */
};

/* "L1d:32K:8:64,L1i:32K:8:64,L2:1M:16:64,L3:32M:16:64": size, ways, bytes of a line, in any order of
 * the levels. Sizes in bytes, or in units of 1024 with K, M or G (also KB, KiB); ways may be "full";
 * "L2:1M" alone has 8 ways of 64 bytes. Size = ways * line * sets; the number of sets need not be a power of
 * two. Levels that are left out have size 0. Returns 0, or -1 with one sentence in message. */
int cache_geometry_parse(const char *text, struct cache_geometry geometry[CACHES], char *message,
                         unsigned size);

/* The text that cache_geometry_parse reads as this geometry, with all numbers, cut off where out ends;
 * "" without caches. */
void cache_geometry_text(const struct cache_geometry geometry[CACHES], char *out, unsigned size);

/* Returns the reason why such a cache is not possible, or NULL. */
const char *cache_geometry_fault(const struct cache_geometry *geometry);

/* Creates empty caches; NULL: out of memory, or the geometry is not possible. Takes 8 bytes for each line of
 * the caches: address space at first, memory as the program reaches more sets. */
struct cache_model *cache_create(const struct cache_geometry geometry[CACHES]);
void cache_destroy(struct cache_model *model);

/* Simulates one access to data of the program. size: bytes, at least one. store: it writes. part: this access
 * goes on where the previous one ended and is of the same instruction; it is not counted again, and misses
 * only if the previous one did not miss yet. count: the counters of formats/emulator_memory.h, which are
 * added to. */
void cache_data(struct cache_model *model, uint64_t address, unsigned size, bool store, bool part,
                uint64_t *count);

/* Bytes of a line of the first cache for data; without one, of the next. */
unsigned cache_data_line(const struct cache_model *model);

/* Simulates the fetches of n instructions, one after the other: those of a block, with the bytes of each in
 * length. */
void cache_fetch(struct cache_model *model, uint64_t address, const uint8_t *length, unsigned n,
                 uint64_t *count);
