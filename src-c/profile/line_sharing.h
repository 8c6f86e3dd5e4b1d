/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"

/* Sampled accesses by lines of the caches, while a profile is made. Begins as zeroes. */
struct sharing {
    struct index lines, uses;       /* struct shared_line, struct line_use */
    struct index groups;            /* of the uses of a line those by one thread, of one datum ... */
    struct sharing_group *group;    /* ... and when they were */
    struct line_use_counts *counts; /* of each use */
    int group_room, count_room;
};

/* Adds a sample of a load or store. use: all but the line's number; wait: cycles, 0 if that is not known */
void sharing_add(struct sharing *sharing, uint64_t line, int process, const struct line_use *use,
                 uint64_t time, uint64_t wait);

/* Puts into the profile the lines that more than one thread had at the same time, at least one of them to
 * write, and that a load found in another core's cache; and ends. */
void sharing_end(struct sharing *sharing, struct profile *profile);
