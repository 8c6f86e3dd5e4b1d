/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "compare.h"

#include <stdio.h>

/* Writes a comparison, whole, in a form. */
void output_text(FILE *out, const struct comparison *comparison);
void output_markdown(FILE *out, const struct comparison *comparison);
void output_junit(FILE *out, const struct comparison *comparison);
/* False: out of memory. */
bool output_json(FILE *out, const struct comparison *comparison);

/* Parts of these: the table of changes, those within their limits too; lines where an event rose or fell
 * most; what varies, and notes. */
void output_changes(FILE *out, const struct comparison *comparison, bool all);
void output_lines(FILE *out, const struct comparison *comparison, const char *event, bool falls);
/* Lines of the source that changed, of routines in which the event rose or fell most first. */
void output_changed(FILE *out, const struct comparison *comparison, const char *event, bool falls);
void output_rest(FILE *out, const struct comparison *comparison);
struct json_t *output_json_value(const struct comparison *comparison);

/* A text that is UTF-8 whatever it was, as JSON; a list of them. */
struct json_t *output_json_text(const char *text);
struct json_t *output_json_texts(char *const *text, size_t n);
/* Adds a value, which the list then has, or ends the program where there was no memory for it. */
void output_json_add(struct json_t *list, struct json_t *value);

/* ---- words.c: what all forms say. Texts are to be freed. */

/* The verdict in a sentence without a period. */
char *words_verdict(const struct comparison *comparison);

/* The change outside its limit that has the most to say; NULL: none is. */
const struct change *words_worst(const struct comparison *comparison);

/* A count with commas between thousands; how it changed: "+5.3 %". */
char *words_count(amount count);
/* The same of an event: time has its unit. */
char *words_amount(const char *event, amount count);
char *words_share(amount before, amount after);

/* The name of a change: "INSTRUCTIONS", "LOADS in region solve". */
char *words_change(const struct change *change);

extern const char *const verdict_names[], *const scope_names[];

/* The numbers of changes that are shown: those outside their limits, or, where all is shown, all totals.
 * Those that failed come first. Returns how many. */
size_t words_changes(const struct comparison *comparison, bool all, size_t *number);

enum { WORDS_LINES = 8, WORDS_CHANGED = 5 }; /* of source, for each event that rose; that changed */
