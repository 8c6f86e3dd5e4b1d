/* SPDX-License-Identifier: BSD-3-Clause */
#include "spots.h"
#include "tools/common/allocate.h"

#include <stdlib.h>

struct spot *spots_at(struct spots *spots, int object, uint64_t offset)
{
    struct spot_key key = {.object = object, .offset = offset};
    int before = spots->keys.n, number = index_of(&spots->keys, &key, sizeof key);
    if (spots->keys.n > before) {
        MEMORY_ONE_MORE(spots->spot, number, spots->room);
        spots->spot[number] = (struct spot){.runs = 0};
    }
    return &spots->spot[number];
}

const struct spot *spots_find(const struct spots *spots, int object, uint64_t offset)
{
    struct spot_key key = {.object = object, .offset = offset};
    int number = index_find(&spots->keys, &key, sizeof key);
    return number >= 0 ? &spots->spot[number] : NULL;
}

void spots_free(struct spots *spots)
{
    index_free(&spots->keys);
    free(spots->spot);
    *spots = (struct spots){.room = 0};
}
