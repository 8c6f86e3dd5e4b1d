/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/hash.h"

#include <stddef.h>

/* Numbers for keys, which are any bytes: the first key has 0, the next other one 1. Begins as zeroes. */
struct index {
    struct index_key {
        void *bytes;
        size_t size;
    } * key;
    int n, room;
    struct hash_table table; /* a key's number and 1 */
};

/* The key's number, which it gets now if it is new: then n has grown. */
int index_of(struct index *index, const void *bytes, size_t size);

/* The number of a key, -1 if there is none. */
int index_find(const struct index *index, const void *bytes, size_t size);

static inline const void *index_key(const struct index *index, int number)
{
    return index->key[number].bytes;
}

void index_free(struct index *index);
