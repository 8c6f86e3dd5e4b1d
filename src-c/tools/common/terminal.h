/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Opens a stream to a file. On a terminal that has a width, the stream breaks long lines at a blank, and goes
 * on below the last column of the line or a little further in than it begins; a word that is longer than a
 * line stays whole. For any other file, and if memory is short, returns the file itself: programs read lines.
 */
FILE *terminal_open(FILE *file);

/* Writes what is left. The file stays open. */
void terminal_close(FILE *stream, FILE *file);

/* Prints a text in lines of at most 80 columns, all but the first one indented.
 *   column  where the first line begins: something may stand there already */
void print_wrapped(FILE *out, const char *text, int column, int indent);

/* Appends to a text what printf would make, behind a separator where it is not the first. What does not fit
 * is left out. */
void text_append(char *text, size_t size, const char *separator, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void text_append_list(char *text, size_t size, const char *separator, const char *format, va_list arguments);
