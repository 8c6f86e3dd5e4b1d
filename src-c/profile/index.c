/* SPDX-License-Identifier: BSD-3-Clause */
#include "index.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

/* The FNV-1a hash of a key's bytes. */
static uint32_t hash_of(const unsigned char *bytes, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* The slot of a key, or the free one where it belongs. */
static uint32_t slot_of(const struct index *index, const void *bytes, size_t size, uint32_t hash)
{
    uint32_t at = hash & (index->n_slots - 1);
    for (; index->slot[at] != 0; at = (at + 1) & (index->n_slots - 1)) {
        const struct index_key *key = &index->key[index->slot[at] - 1];
        if (key->hash == hash && key->size == size && memcmp(key->bytes, bytes, size) == 0)
            break;
    }
    return at;
}

/* Doubles the slots, and enters all keys again. */
static void add_slots(struct index *index)
{
    index->n_slots = index->n_slots == 0 ? FIRST_SLOTS : 2 * index->n_slots;
    index->slot = memory_more(index->slot, index->n_slots, sizeof *index->slot);
    memset(index->slot, 0, index->n_slots * sizeof *index->slot);
    for (int i = 0; i < index->n; i++) {
        const struct index_key *key = &index->key[i];
        index->slot[slot_of(index, key->bytes, key->size, key->hash)] = i + 1;
    }
}

int index_of(struct index *index, const void *bytes, size_t size)
{
    if ((uint32_t)index->n * 2 >= index->n_slots)
        add_slots(index);
    uint32_t hash = hash_of(bytes, size), at = slot_of(index, bytes, size, hash);
    if (index->slot[at] != 0)
        return index->slot[at] - 1;
    MEMORY_ONE_MORE(index->key, index->n, index->room);
    struct index_key *key = &index->key[index->n];
    *key = (struct index_key){.bytes = memory_more(NULL, size, 1), .size = (uint32_t)size, .hash = hash};
    memcpy(key->bytes, bytes, size);
    index->slot[at] = ++index->n;
    return index->n - 1;
}

int index_find(const struct index *index, const void *bytes, size_t size)
{
    if (index->n == 0)
        return -1;
    return index->slot[slot_of(index, bytes, size, hash_of(bytes, size))] - 1;
}

void index_free(struct index *index)
{
    for (int i = 0; i < index->n; i++)
        free(index->key[i].bytes);
    free(index->key);
    free(index->slot);
    *index = (struct index){0};
}
