/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "counts.h"

#include <stdio.h>

/* A result that papi_gate keeps: JSON (docs/gate.md), with one line of text for each routine and source line,
 * so that version control shows what changed. */

/* The file's members "format" and "version". */
#define GATE_FORMAT "papi_gate"
enum { GATE_VERSION = 1 };

/* Writes counts. False: out of memory or a full disk, errno says. */
bool gate_write(FILE *out, const struct counts *counts);

/* Reads counts, which are empty before. NULL, or a sentence to be freed. */
char *gate_read(struct counts *counts, const char *path);

/* The same of a text, for whose sentence are the name of what it is, and a command with what it does
 * (cure). */
char *gate_read_text(struct counts *counts, const char *name, const char *cure, const char *text);
