/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Lines of a source as the compiler takes them: without comments, and with one blank between words. */

enum source_language { SOURCE_C, SOURCE_FREE_FORTRAN, SOURCE_FIXED_FORTRAN, SOURCE_OTHER };

struct source_reader {
    enum source_language language;
    bool in_comment; /* of C, which goes on in the next line */
};

/* Begins a file: its name says the language. */
void source_begin(struct source_reader *reader, const char *path);

/* Reads the next line. A number of 36 bits, alike for lines that are alike; 0: nothing but blanks and
 * comments. Its upper 12 bits, the line's shape, are alike also for lines that differ in names alone. */
uint64_t source_line(struct source_reader *reader, const char *line);

enum { SOURCE_DIGITS = 6, SOURCE_SHAPE_FROM = 24 };

static inline uint64_t source_shape(uint64_t code)
{
    return code >> SOURCE_SHAPE_FROM;
}
