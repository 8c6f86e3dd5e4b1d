/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/* Lists of ranks as text: "1,5-7,8-14/2". */

/* Writes as many of the ranks, which ascend, as there is room for. Returns their number. */
int ranks_write(char *text, size_t room, const char *comma, const int *rank, int n);

/* Marks the ranks of a list. Returns the number of those that were not marked before; -1: text is not such a
 * list. */
int ranks_read(const char *text, char *is, int ranks);

/* Takes the next ranks of a list, from first to last at a distance, out of *text. Returns 1; 0: there are no
 * more; -1: *text is not such a list of ranks below that number. */
int ranks_next(const char **text, int ranks, int *first, int *last, int *step);
