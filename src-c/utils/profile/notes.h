/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "utils/profile/totals.h"

/* What a reader has to know beside the figures of a profile: sentences without the full stop, in which names
 * are made visible. Begins as zeroes; the functions append. */

struct notes {
    char **text;
    int n, room;
};

/* What the samples lack: all of them, some, or a counter for part of the time. */
void notes_on_samples(struct notes *notes, const struct profile *profile);

/* What to compile again, for each of the user's programs and libraries that has 5 % or more of the first
 * event and no lines. */
void notes_on_lines(struct notes *notes, const struct profile *profile, const struct totals *totals);

void notes_free(struct notes *notes);
