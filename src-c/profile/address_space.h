/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What code was where in a process, at the time of a sample. */

struct mapping {
    uint64_t start, end, offset; /* of the addresses, and in the file */
    int object;                  /* see objects.h */
};

struct space {
    int n, room;
    struct mapping *mapping; /* by their addresses, none over another */
    void *unwinder;          /* see unwind.h; NULL: none for these mappings */
};

/* The mappings whose addresses it takes give way. */
void space_map(struct space *space, const struct mapping *mapping);
void space_copy(struct space *to, const struct space *from);
void space_clear(struct space *space);

/* NULL: nothing is known to be there. */
const struct mapping *space_find(const struct space *space, uint64_t address);
