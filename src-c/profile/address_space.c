/* SPDX-License-Identifier: BSD-3-Clause */
#include "address_space.h"
#include "tools/common/allocate.h"
#include "unwind.h"

#include <stdlib.h>
#include <string.h>

static void append(struct space *space, const struct mapping *mapping)
{
    MEMORY_ONE_MORE(space->mapping, space->n, space->room);
    space->mapping[space->n++] = *mapping;
}

/* What is left of a mapping below and above the addresses of another. */
static void append_rest(struct space *space, const struct mapping *old, const struct mapping *new)
{
    struct mapping below = *old, above = *old;
    if (below.end > new->start)
        below.end = new->start;
    if (below.start < below.end)
        append(space, &below);
    if (above.start < new->end) {
        above.offset += new->end - above.start;
        above.start = new->end;
    }
    if (above.start < above.end && old->end > new->start)
        append(space, &above);
}

static int by_address(const void *a, const void *b)
{
    const struct mapping *one = a, *other = b;
    return one->start < other->start ? -1 : one->start > other->start;
}

void space_map(struct space *space, const struct mapping *mapping)
{
    struct space fresh = {.n = 0};
    if (mapping->start >= mapping->end)
        return;
    for (int i = 0; i < space->n; i++)
        append_rest(&fresh, &space->mapping[i], mapping);
    append(&fresh, mapping);
    qsort(fresh.mapping, (size_t)fresh.n, sizeof *fresh.mapping, by_address);
    space_clear(space);
    *space = fresh;
}

void space_copy(struct space *to, const struct space *from)
{
    space_clear(to);
    for (int i = 0; i < from->n; i++)
        append(to, &from->mapping[i]);
}

void space_clear(struct space *space)
{
    unwinder_free(space->unwinder);
    free(space->mapping);
    *space = (struct space){.n = 0};
}

const struct mapping *space_find(const struct space *space, uint64_t address)
{
    int low = 0, high = space->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (space->mapping[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < space->n && space->mapping[low].start <= address ? &space->mapping[low] : NULL;
}
