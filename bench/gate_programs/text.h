/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/* Makes words of the same few hundred, so that a text has repetitions as real ones have. */
static inline void text_make(unsigned char *text, size_t size)
{
    unsigned state = 1;
    for (size_t i = 0; i < size;) {
        state = state * 1664525 + 1013904223;
        unsigned word = (state >> 16) % 700, length = 2 + word % 9;
        for (unsigned k = 0; k < length && i < size; k++) {
            word = word * 31 + 17;
            text[i++] = (unsigned char)('a' + (word >> 3) % 26);
        }
        if (i < size)
            text[i++] = state >> 28 == 0 ? '\n' : ' ';
    }
}
