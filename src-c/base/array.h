/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdlib.h>

/* An array that grows by one element after another. Its length is its room, too: an array whose length is a
 * power of two is full and gets twice the room. It begins as NULL and is freed with free. */

/* Returns the array of n elements with room for one more; NULL: no memory, and the array is as it was. */
static inline void *array_room(void *array, size_t n, size_t size)
{
    return (n & (n - 1)) != 0 ? array : reallocarray(array, n > 0 ? 2 * n : 1, size);
}

/* Makes room for one more element. False: no memory, and the array is as it was. */
#define ARRAY_GROW(array, n)                                                                                 \
    ({                                                                                                       \
        void *grown_ = array_room((array), (size_t)(n), sizeof *(array));                                    \
        if (grown_ != NULL)                                                                                  \
            (array) = grown_;                                                                                \
        grown_ != NULL;                                                                                      \
    })
