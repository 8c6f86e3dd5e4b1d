/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/text_rows.h"

#include <stdbool.h>
#include <stddef.h>

/* True if memory and descriptors are to spare, for a library that takes what it cannot open or keep for
 * missing, or ends the program. False with errno; errno stays where there are. */
enum { LOAD_MOST_DESCRIPTORS = 8 };
bool load_room(size_t memory, int descriptors);

/* A function of a library, and the place in a structure that its address goes to. */
struct load_symbol {
    char name[48]; /* between the marks of base/text_rows.h */
    size_t place;
};

/* Puts the addresses of n symbols of a loaded library into a structure. False: it lacks one. */
bool load_symbols(void *library, const struct load_symbol *symbols, size_t n, void *structure);
