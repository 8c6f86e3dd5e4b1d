/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "core/library.h"

/* Events that the program defines. The library is locked in all of these, and on an error no
 * definition has changed, but for library_read_events. */

/* Defines one event: PAPI_EINVAL: its parts do not fit, or name what is not an event here; otherwise as
 * definition_put. */
int library_define(const struct event_parts *parts, bool user, bool replace, int *event, struct reason *why);

/* Defines the presets of a file (events/old_csv.h). PAPI_ESYS: it cannot be read. */
int library_encode(const char *file, bool replace, struct reason *why);

/* Reads a file of user events; rows with a fault are skipped, and the first is the error. */
int library_read_events(const char *file, struct reason *why);

/* Is the event in an event set of any thread? */
bool eventset_has_anywhere(int code);
