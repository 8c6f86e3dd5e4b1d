/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"

enum { MAX_FIELDS = 32 };

/* Splits a line in place at its commas. A field in double quotes may hold commas, and two quotes
 * for one; blanks around a field are dropped. The number of fields, -1 for a quote that does not
 * end, -2 for too many fields. */
int csv_split(char *line, char *field[MAX_FIELDS]);

/* The same of a line of a file, of that length: 0 where it is a comment or has nothing. PAPI_EINVAL with the
 * reason: it does not split, or it has a null byte. */
int csv_row(char *line, size_t length, char *field[MAX_FIELDS], struct reason *why);
