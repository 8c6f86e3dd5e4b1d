/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include <stdio.h>
#include <sys/types.h>

/* ---- lines */

/* Text files whose lines end with LF, CR or CRLF. */

/* Opens a file for reading, if it is one that ends: no folder, pipe or device, and not larger than any
 * table of events. NULL: *error is what is wrong, and errno says whether it may be better later
 * (error_passes). */
FILE *text_file_open(const char *name, const char **error);

struct text_lines {
    FILE *file;
    char *line; /* as getline has it */
    size_t size, length;
    char *next;  /* behind a CR in the line, or NULL */
    char *shown; /* a line with what is not visible in it */
    int number;  /* of the line that was given last, from 1 */
    int error;   /* errno where the file has no end yet, and no line can be had: a read failed, or memory is
                    short */
};

/* The next line without its end, the first without a byte order mark, and its length: it may hold null bytes.
 * What is not visible in it is shown as base/visible.h has it: such a file names no event otherwise, and its
 * descriptions are printed. NULL: there is none. */
char *text_lines_next(struct text_lines *lines, size_t *length);

/* Frees what it has; the file stays open. 0, or errno where not all lines could be had. */
int text_lines_end(struct text_lines *lines);

/* ---- rows of CSV */

enum { MAX_FIELDS = 32 };

/* Splits a line in place at its commas. A field in double quotes may hold commas, and two quotes
 * for one; blanks around a field are dropped. The number of fields, -1 for a quote that does not
 * end, -2 for too many fields. */
int csv_split(char *line, char *field[MAX_FIELDS]);

/* Splits a line of a file, as csv_split does. 0: it is a comment or empty. PAPI_EINVAL with the reason: it
 * does not split, or has a null byte. */
int csv_row(char *line, size_t length, char *field[MAX_FIELDS], struct reason *why);
