/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

/* For pages and drawings that a program writes without scripts. */

/* From the first line to the page's title: the browser is told to run no script and to fetch nothing. */
extern const char markup_head[];

/* Writes a text in which characters that HTML and SVG would take for markup are escaped, and characters that
 * could hide or reverse it are made visible. */
void markup_text(FILE *out, const char *text);
