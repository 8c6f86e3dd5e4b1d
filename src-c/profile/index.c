/* SPDX-License-Identifier: BSD-3-Clause */
#include "index.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

/* Returns a key's number; -1: there is no such key. */
static int find(const struct index *index, const void *bytes, size_t size, uint64_t hash)
{
    uintptr_t number;
    for (size_t at = 0; (number = hash_next(&index->table, hash, &at)) != 0;) {
        const struct index_key *key = &index->key[number - 1];
        if (key->size == size && memcmp(key->bytes, bytes, size) == 0)
            return (int)number - 1;
    }
    return -1;
}

int index_of(struct index *index, const void *bytes, size_t size)
{
    uint64_t hash = hash_bytes(bytes, size);
    int known = find(index, bytes, size, hash);
    if (known >= 0)
        return known;
    if (!hash_grow(&index->table))
        memory_is_out();
    MEMORY_ONE_MORE(index->key, index->n, index->room);
    struct index_key *key = &index->key[index->n];
    *key = (struct index_key){.bytes = memory_more(NULL, size, 1), .size = size};
    memcpy(key->bytes, bytes, size);
    hash_put(&index->table, hash, (uintptr_t)++index->n);
    return index->n - 1;
}

int index_find(const struct index *index, const void *bytes, size_t size)
{
    return find(index, bytes, size, hash_bytes(bytes, size));
}

void index_free(struct index *index)
{
    for (int i = 0; i < index->n; i++)
        free(index->key[i].bytes);
    free(index->key);
    free(index->table.slot);
    *index = (struct index){0};
}
