/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* A result file as a parser of JSON reads it: without its rows, where these stand at their fixed places.
 * A million of them as one tree of JSON values would not fit into the memory of most nodes; one after the
 * other they need none. */
struct source {
    FILE *file;
    bool foreign;         /* another user may have written it: trust_contents */
    bool skips;           /* the file can be read at any place, so that rows can be left for later */
    int matched;          /* bytes of what stands before the rows */
    off_t rows;           /* their place in the file */
    long long n_rows;     /* that were left out */
    size_t row_length;    /* of each of them; 0: none */
    int rows_line;        /* the line of the first one */
    int line;             /* being read */
    long long bytes;      /* given to the parser */
    bool failed, too_big; /* why it got no more */
};

/* NULL, or why it cannot be read. The caller closes the file. */
const char *source_open(struct source *source, const char *file);

/* Reads for json_load_callback; data is the source. */
size_t source_read(void *buffer, size_t size, void *data);

/* The text of the next row that was left out, without the comma; the first call begins at the first one.
 * Returns its length, 0 after the last one. text has room for row_length. */
size_t source_row(struct source *source, long long i, char *text);

/* The line of the file where the parser has counted this one. */
int source_line(const struct source *source, int parsed);
