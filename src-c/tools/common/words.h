/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/* A list of texts with NULL after the last, as execv takes it. Begins as zeroes. */
struct words {
    char **word;
    size_t n;
};

/* Adds a text that is printed. Without memory, memory_is_out (allocate.h). */
__attribute__((format(printf, 2, 3))) void words_add(struct words *words, const char *format, ...);
void words_free(struct words *words);
