/* SPDX-License-Identifier: BSD-3-Clause */
#include "data_space.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

/* The first range that ends behind an address. */
static int range_after(const struct data_space *space, uint64_t address)
{
    int low = 0, high = space->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (space->range[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void remove_between(struct data_space *space, uint64_t start, uint64_t end)
{
    int first = range_after(space, start), n = 0;
    while (first + n < space->n && space->range[first + n].start < end)
        n++;
    if (n == 0)
        return;
    memmove(space->range + first, space->range + first + n,
            (size_t)(space->n - first - n) * sizeof *space->range);
    space->n -= n;
}

void data_space_add(struct data_space *space, uint64_t start, uint64_t size, int datum)
{
    if (size == 0 || size > UINT64_MAX - start)
        return;
    remove_between(space, start, start + size);
    int at = range_after(space, start);
    MEMORY_ONE_MORE(space->range, space->n, space->room);
    memmove(space->range + at + 1, space->range + at, (size_t)(space->n - at) * sizeof *space->range);
    space->range[at] = (struct data_range){start, start + size, datum};
    space->n++;
}

void data_space_remove(struct data_space *space, uint64_t start)
{
    int at = range_after(space, start);
    if (at < space->n && space->range[at].start == start)
        remove_between(space, start, start + 1);
}

const struct data_range *data_space_find(const struct data_space *space, uint64_t address)
{
    int at = range_after(space, address);
    return at < space->n && space->range[at].start <= address ? &space->range[at] : NULL;
}

void data_space_copy(struct data_space *to, const struct data_space *from)
{
    data_space_free(to);
    if (from->n == 0)
        return;
    to->range = memory_more(NULL, (size_t)from->n, sizeof *to->range);
    memcpy(to->range, from->range, (size_t)from->n * sizeof *to->range);
    to->n = to->room = from->n;
}

void data_space_free(struct data_space *space)
{
    free(space->range);
    *space = (struct data_space){.n = 0};
}
