/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Text that others wrote (arguments, files, the environment), as it may stand in a message or a report.
 * What a terminal would obey, and what would make a line read otherwise than it is, is shown instead:
 * "\x1b" for a control character or a byte that is not UTF-8, "<U+202E>" for a character that changes the
 * direction of writing, takes no room or breaks lines. All else stays as it is; a tab becomes a blank. A
 * text that was made visible stays the same if that is done again. */

enum { VISIBLE_GROWTH = 4 }; /* the result is at most this many times as long */

/* Writes as much into out as fits, at most size bytes with the '\0', and never half of a character. Returns
 * how many bytes all of it has, without the '\0'. size may be 0. */
size_t visible(char *out, size_t size, const char *text);

/* The same to a stream: a text, or what printf would make. */
void visible_put(FILE *out, const char *text);
void visible_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void visible_print_list(FILE *out, const char *format, va_list arguments);

/* The length of the UTF-8 sequence at text, 0 where there is none. The '\0' at the end of a text continues
 * no sequence, so nothing behind it is read. */
int utf8_length(const char *text);

/* The character of a sequence that utf8_length found, and whether it has to be shown in another way. */
unsigned utf8_code(const char *text, int length);
int utf8_is_hidden(unsigned code);
