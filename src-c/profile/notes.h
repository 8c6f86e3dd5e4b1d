/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "totals.h"

/* Notes that a reader needs beside the figures of a profile: sentences without the full stop, in which names
 * are made visible. Begins as zeroes; the functions append. */

struct notes {
    char **text;
    int n, room;
};

/* Notes what the samples lack: all of them, some, or a counter for part of the time. */
void notes_on_samples(struct notes *notes, const struct profile *profile);

/* Notes what is missing of the devices that were asked for. */
void notes_on_devices(struct notes *notes, const struct profile *profile);

/* Notes objects with 5 % or more of the first event: the run-time library of OpenMP, in which threads wait,
 * and of the user's programs and libraries those without lines, which have to be compiled with -g. */
void notes_on_objects(struct notes *notes, const struct profile *profile, const struct totals *totals);

/* Appends all notes of a profile. */
void notes_make(struct notes *notes, const struct profile *profile, const struct totals *totals);

/* Appends one note, as printf makes it. */
void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

void notes_free(struct notes *notes);
