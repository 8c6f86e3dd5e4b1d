/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

/* What the report is written on: it holds what it promises, so many lines of so many columns. On a terminal
 * that has not so many columns there are fewer, and more lines instead. */
enum { SHEET_LINES = 40, SHEET_COLUMNS = 110, SHEET_NARROW = 80 };

struct sheet {
    FILE *out;
    int columns;
    int lines; /* written */
};

struct sheet sheet_on(FILE *out);

/* How many lines of all columns take so many of those that it has. */
int sheet_most(const struct sheet *sheet, int lines);

/* One line, without a line feed in it; what is beyond the last column is cut off. */
void sheet_line(struct sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A column of a table; width 0 ends the list. */
struct sheet_column {
    int width;
    int spare; /* where not all have room, those with the greatest number are left out first; 0: never */
    const char *head;
};
enum { SHEET_LEFT_OUT = SHEET_COLUMNS }; /* the spare of a column that is not there at all */

/* A row of a table: a text for each column, the first one at its left, the others at their right. What is
 * wider than its column takes the blanks of the next; what has no room then is left out, and never cut. */
void sheet_row(struct sheet *sheet, const struct sheet_column *column, const char *const *cell);
/* Its first row: the title, and the heads of the other columns. */
void sheet_head(struct sheet *sheet, const struct sheet_column *column, const char *title);

/* A sentence over at most so many lines of SHEET_COLUMNS, broken at blanks; the lines after the first are
 * indented. */
void sheet_wrapped(struct sheet *sheet, int indent, int lines, const char *text);

/* How many lines of the sheet that writes. */
int sheet_lines_for(const struct sheet *sheet, int indent, int lines, const char *text);
