/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "compare.h"

#include <stdio.h>

/* Results of one program in the order in which they were made: its counts by commit. */

struct history_result {
    struct counts counts;
    char *file;
    const char *subject; /* of its commit; "": not known */
    size_t rank;         /* in git's order; 0: not known */
};

/* A count of all results, of the program, a region or a routine. */
struct series {
    enum gate_scope scope;
    const char *name, *event;
    amount *value; /* of each result; NaN: it has none */
    bool varies;   /* from run to run, in one of the results */
};

/* A change from one result to the next that has the count, beyond the limit. */
struct jump {
    const struct series *series;
    size_t at; /* the later result */
    amount before, after;
};

struct history {
    struct history_result *result;
    size_t n, room;
    char *log;     /* of git, which subjects are parts of; NULL: the order is that of dates */
    char **unread; /* sentences about files that are no results */
    size_t n_unread, room_unread;
    char **note; /* sentences: what else changed from one result to the next */
    size_t n_notes, room_notes;
    struct series *series; /* by event: those of the program, of regions, of routines */
    size_t n_series, room_series;
    struct jump *jump;
    size_t n_jumps, room_jumps;

    /* history.c's own */
    struct hash_table places;
};

/* Reads the results of a folder, *.json. NULL, or a sentence to be freed; history_free follows in any case.
 */
char *history_read(struct history *history, const char *folder);

/* The same of the notes of a name that commits up to this one have (notes.h). */
char *history_read_notes(struct history *history, const char *name);

/* Makes the series of the judged events (NULL: the usual ones) and finds their jumps. */
void history_make(struct history *history, const struct limits *limits, const char *const *judged);

/* Names a result: the first characters of its commit, or its file. To be freed. */
char *history_name(const struct history *history, size_t result);

/* The verdict in a sentence. To be freed. */
char *history_verdict(const struct history *history);

/* Writes the jumps as lines of text; all of it as JSON, or as an HTML page that needs nothing but a browser.
 */
void history_text(FILE *out, const struct history *history);
void history_json(FILE *out, const struct history *history);
void history_page(FILE *out, const struct history *history);

void history_free(struct history *history);
