/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fortran's texts: bytes without an end mark, their length passed apart, blanks up to the length.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The most bytes of an incoming text that are looked at: no name, path or message is longer. */
#define FPAPI_TEXT_MAX 4096

struct fpapi_text {
    char bytes[FPAPI_TEXT_MAX + 1];
};

/* A text as a C string: cut at a null byte if there is one, then without its trailing blanks.
 * Returns text->bytes. */
char *fpapi_text_in(struct fpapi_text *text, const char *from, size_t length);

/* A C string of at most size bytes into a text: cut where that is too short, blanks to its end. Returns
 * whether it was cut. */
bool fpapi_text_out(char *to, size_t length, const char *from, size_t size);
