/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

/* Where a file is a terminal that has a width, a stream that breaks long lines at a blank, and goes on below
 * the last column of the line or a little further in than it begins. A word that is longer than a line stays
 * whole. Everywhere else, and if memory is short, the file itself: programs read lines. */
FILE *terminal_open(FILE *file);

/* Writes what is left. The file stays open. */
void terminal_close(FILE *stream, FILE *file);
