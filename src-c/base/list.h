/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdlib.h>

/* An array of n members with room for one more; NULL: no memory, and it is as it was. A full one has a power
 * of two for its length. */
static inline void *list_room(void *array, int n, size_t size)
{
    return (n & (n - 1)) != 0 ? array : realloc(array, (n > 0 ? 2 * (size_t)n : 1) * size);
}

/* Lists of structures that have a member next, and a member place: where the pointer to the structure stands,
 * in the one before it or in the list itself. A signal's handler that comes in between finds a whole list. */

#define LIST_PUT_FIRST(list, one)                                                                            \
    do {                                                                                                     \
        (one)->next = *(list);                                                                               \
        (one)->place = (list);                                                                               \
        if ((one)->next != NULL)                                                                             \
            (one)->next->place = &(one)->next;                                                               \
        *(list) = (one);                                                                                     \
    } while (0)

#define LIST_TAKE_OUT(one)                                                                                   \
    do {                                                                                                     \
        *(one)->place = (one)->next;                                                                         \
        if ((one)->next != NULL)                                                                             \
            (one)->next->place = (one)->place;                                                               \
    } while (0)
