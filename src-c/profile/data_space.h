/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* Allocations of a process at one time, by their addresses: none over another. Begins as zeroes. */

struct data_range {
    uint64_t start, end;
    int datum;
};

struct data_space {
    struct data_range *range;
    int n, room;
};

/* Puts an allocation in the place of those that it overlaps, whose memory is gone. */
void data_space_add(struct data_space *space, uint64_t start, uint64_t size, int datum);

/* Removes the allocation that begins at an address, if there is one. */
void data_space_remove(struct data_space *space, uint64_t start);

/* The allocation at an address; NULL: none. */
const struct data_range *data_space_find(const struct data_space *space, uint64_t address);

void data_space_copy(struct data_space *to, const struct data_space *from);
void data_space_free(struct data_space *space);
