/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

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
