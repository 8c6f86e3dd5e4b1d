/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "points.h"

/* Roofs are kept in a file, because they take seconds to measure and stay the same.
 * Sentences that say what failed are to be freed. */

/* Where those of this machine are: in XDG_CACHE_HOME or .cache of HOME, in the folder papi. To be freed.
 * NULL: there is no such place. */
char *roofs_path(void);

/* NULL, or why they could not be written. Folders are made; a file that was there is replaced as a whole.
 * points: of a program, or NULL. */
char *roofs_write(const char *path, const struct roofs *roofs, const struct points *points);

/* NULL, or why they could not be read; points: NULL, or for those that the file must have. */
char *roofs_read(const char *path, struct roofs *roofs, struct points *points);
