/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The hash table of the library and its tools: values by the hashes of their keys, which stay with the owner
 * of the values. To look a key up, go through the values of its hash and compare:
 *
 *     size_t at = 0;
 *     while ((value = hash_next(&table, hash, &at)) != 0 && !same(value, key))
 *         ;
 *
 * The table takes no lock, only grows, and allocates when it does: not for signal handlers, shared memory, or
 * keys that go. */

#define HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)

/* Returns the hash of bytes behind others, of which it is known: HASH_OF_NOTHING, if there are none. */
static inline uint64_t hash_more(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Returns the hash of bytes by FNV-1a, which is the same in every process. */
static inline uint64_t hash_bytes(const void *bytes, size_t size)
{
    return hash_more(HASH_OF_NOTHING, bytes, size);
}

/* The same of a text without its end. */
static inline uint64_t hash_text(const char *text)
{
    uint64_t hash = HASH_OF_NOTHING;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* Begins as zeroes; free(table.slot) ends it. A value is not 0. The number of slots is a power of two, and at
 * least half of them are free. */
struct hash_table {
    struct hash_slot {
        uint64_t hash;
        uintptr_t value;
    } * slot;
    size_t n_slots, used;
};

/* Returns the next value of a hash, 0 after the last.
 *   at  0 at first; where the search goes on */
static inline uintptr_t hash_next(const struct hash_table *table, uint64_t hash, size_t *at)
{
    while (table->n_slots > 0) {
        size_t place = (size_t)(hash ^ hash >> 32) + (*at)++;
        const struct hash_slot *slot = &table->slot[place & (table->n_slots - 1)];
        if (slot->value == 0 || slot->hash == hash)
            return slot->value;
    }
    return 0;
}

/* Puts a value into a table that has room. */
static inline void hash_put(struct hash_table *table, uint64_t hash, uintptr_t value)
{
    size_t place = (size_t)(hash ^ hash >> 32);
    while (table->slot[place & (table->n_slots - 1)].value != 0)
        place++;
    table->slot[place & (table->n_slots - 1)] = (struct hash_slot){hash, value};
    table->used++;
}

/* Makes room for one more value. False: no memory, and the table is as it was. */
static inline bool hash_grow(struct hash_table *table)
{
    struct hash_table bigger = {.n_slots = table->n_slots > 0 ? 2 * table->n_slots : 16};
    if (2 * (table->used + 1) <= table->n_slots)
        return true;
    bigger.slot = calloc(bigger.n_slots, sizeof *bigger.slot);
    if (bigger.slot == NULL)
        return false;
    for (size_t i = 0; i < table->n_slots; i++)
        if (table->slot[i].value != 0)
            hash_put(&bigger, table->slot[i].hash, table->slot[i].value);
    free(table->slot);
    *table = bigger;
    return true;
}
