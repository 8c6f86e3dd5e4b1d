/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"

/* Instructions at which something happened, by the offsets in their files, while a profile is made. */

struct spot {
    uint64_t value[PROFILE_EVENTS];  /* of the profile's events */
    uint64_t runs, taken, not_taken; /* where they were counted */
};

struct spot_key {
    int32_t object, unused; /* object: its number among the objects that are open */
    uint64_t offset;
};

/* Begins as zeroes. */
struct spots {
    struct index keys; /* struct spot_key */
    struct spot *spot;
    int room;
    bool counted; /* runs are known */
};

/* The spot at an offset, which is new if nothing happened there before. */
struct spot *spots_at(struct spots *spots, int object, uint64_t offset);

/* NULL: nothing happened there. */
const struct spot *spots_find(const struct spots *spots, int object, uint64_t offset);

void spots_free(struct spots *spots);
