/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

enum { MAX_FIELDS = 32 };

/* Splits a line in place at its commas. A field in double quotes may hold commas, and two quotes
 * for one; blanks around a field are dropped. The number of fields, -1 for a quote that does not
 * end, -2 for too many fields. */
int csv_split(char *line, char *field[MAX_FIELDS]);

/* What is said of such a line. */
const char *csv_fault(int code);
