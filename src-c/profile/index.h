/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Numbers for keys, which are any bytes: the first key has 0, the next other one 1. Begins as zeroes. */
struct index {
    struct index_key {
        void *bytes;
        uint32_t size, hash;
    } * key;
    int n, room;
    int *slot; /* a key's number and 1, or 0 */
    uint32_t n_slots;
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
