/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Writes JSON (RFC 8259), two blanks a level. It only writes, which is the small half of JSON: a
 * library for it (json-c, jansson) would be one more package that every compute node must have at
 * run time, for these functions.
 *
 * key is NULL inside an array. */
struct json {
    FILE *out;
    int depth;
    bool follows; /* something stands before on this level */
    bool in_line; /* all is one line */
};

void json_open(struct json *json, const char *key, char bracket); /* { or [ */
void json_close(struct json *json, char bracket);                 /* } or ] */

/* NULL is written as null. Bytes that are no UTF-8 become U+FFFD: the text may come from the kernel
 * or a file. */
void json_string(struct json *json, const char *key, const char *value);
void json_integer(struct json *json, const char *key, long long value);
/* Write a number with 9 digits (json_number), or with as many as it takes to read the same number back
 * (json_real). */
void json_number(struct json *json, const char *key, double value);
void json_real(struct json *json, const char *key, double value);
/* Prints a finite number alone with so many digits, and a point whatever the locale has. */
void json_digits(FILE *out, double value, int digits);
void json_boolean(struct json *json, const char *key, bool value);
