/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_UTILS_EVENT_PRINT_H
#define PAPI_UTILS_EVENT_PRINT_H

#include "event.h"

/* One event in each of the forms of papi_avail's text, and the same for all of them in its JSON. Scripts read
 * the labels and the columns: keep them.
 *   why  it does not count; NULL where it does */

/* A line of a table: name, code, whether it counts where that is a column, whether it is derived, what it is
 * and the note. */
void event_show_row(struct report *report, const PAPI_event_info_t *info, const char *why, bool column);

/* All of it between bars, in several lines; and what stands above them. */
void event_show_block(struct report *report, const PAPI_event_info_t *info, const char *why);
void event_show_block_heading(struct report *report);

/* Labels and values, with the native events and the masks. */
void event_show_fields(struct report *report, const char *key, const PAPI_event_info_t *info,
                       const char *why);

#endif
