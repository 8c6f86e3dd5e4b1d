/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_SHEET_H
#define PAPI_MPI_SHEET_H

#include <stdio.h>

/* What the report is written on: it holds what it promises, so many lines of so many columns. */
enum { SHEET_LINES = 40, SHEET_COLUMNS = 110 };

struct sheet {
    FILE *out;
    int lines; /* written */
};

/* One line, without a line feed in it; what is beyond the last column is cut off. */
void sheet_line(struct sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A sentence over at most so many lines, broken at blanks; the lines after the first are indented. */
void sheet_wrapped(struct sheet *sheet, int indent, int lines, const char *text);

/* How many lines that sentence needs. */
int sheet_lines_for(int indent, const char *text);

#endif
