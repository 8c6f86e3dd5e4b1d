/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"
#include <stdbool.h>
#include <stdio.h>

/* A sheet on which the report is written: it has at most so many lines of so many columns. On a terminal with
 * fewer columns there are fewer, and more lines instead. */
enum { SHEET_LINES = 40, SHEET_COLUMNS = 110, SHEET_NARROW = 80 };

struct sheet {
    FILE *out;
    int columns;
    int lines; /* written */
};

struct sheet sheet_on(FILE *out);

/* Number of lines of all columns that take so many of those that it has. */
int sheet_most(const struct sheet *sheet, int lines);

/* Writes a line, without a line feed in it; what is beyond the last column is cut off. */
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
/* Prints the first row of a table: the title, and the heads of the other columns. */
void sheet_head(struct sheet *sheet, const struct sheet_column *column, const char *title);

/* A sentence over at most so many lines of SHEET_COLUMNS, broken at blanks; the lines after the first are
 * indented. */
void sheet_wrapped(struct sheet *sheet, int indent, int lines, const char *text);

/* Number of lines of the sheet that this writes. */
int sheet_lines_for(const struct sheet *sheet, int indent, int lines, const char *text);

enum { SITE_TEXT = ROUTINE_NAME * 2 + SOURCE_PATH + 64 };

/* The place of a call, as far as it is known, for a line of text: "halo.f90:57 halo::exchange", with "(in
 * solve)" after a routine that was inlined; "solver.so+0x1a2b". C++'s routines are without the types of their
 * arguments. Returns text. */
const char *site_text(char text[SITE_TEXT], const struct job *job, const struct job_site *site);

/* The same in the middle of a sentence: "at halo.f90:57 in halo::exchange", "in main (solver)", "at
 * solver.so+0x1a2b"; of a routine that was inlined the line alone says where. Returns text. */
const char *site_phrase(char text[SITE_TEXT], const struct job *job, const struct job_site *site);

/* True if more is known of the place than an address in a file. */
bool site_is_named(const struct job *job, const struct job_site *site);

/* The call sites of two results that are one place of the program: in a file and a routine of the same names,
 * where the same MPI call is made. Their lines may differ, as may the folder of the file. Where a routine has
 * several of a call, they are in the order of their lines; if one result has more of them than the other,
 * those are the same that most agree on how far the routine has moved. Without debug information, the program
 * or library stands for the file, and the address for the line. */
struct site_pair {
    const struct job_site *here, *there; /* NULL: this run, or the reference, has none */
};

enum { MAX_SITE_PAIRS = 2 * MAX_JOB_SITES };

/* Pairs the call sites of two runs, sorted by the difference of their times. Returns their number. */
int site_pairs(struct site_pair pair[MAX_SITE_PAIRS], const struct job *job, const struct job *reference);
