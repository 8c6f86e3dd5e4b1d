/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "counts.h"

/* Notes what the counts were made with: how the programs were built, by which commit, where. Facts that
 * cannot be found are "". */
void identity_note(struct counts *counts, char *const *command);

/* Standard input, where it is a file. */
#define INPUT_STANDARD "/dev/stdin"

/* Notes an input and what is in it. NULL, or a sentence to be freed. */
char *identity_input(struct counts *counts, const char *path);
