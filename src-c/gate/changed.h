/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "compare.h"

/* Lines of sources that are not what they were: counts say what is done more often, which may be elsewhere.
 */

/* Finds those of the sources that both results have, and the routine that each is in, or next to. */
void changed_find(struct comparison *comparison);

/* Numbers of changed lines, at most room: by how much the event of this number rose (or fell) in their
 * routine, then in the line itself; where names alone differ, last. Returns how many. */
size_t changed_top(const struct comparison *comparison, int event, bool falls, size_t *number, size_t room);
