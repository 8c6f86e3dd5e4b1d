/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "papi.h"
#include "tool.h"

/* Description of one event, as the tools print it. */

/* The event that an argument names. TOOL_FINE; TOOL_ERROR: there is none, which was printed. */
int event_find(struct tool *tool, const char *name, PAPI_event_info_t *info);

bool event_is_preset(const PAPI_event_info_t *info);

/* Presets and the user's own events are made of native ones. */
bool event_is_composed(const PAPI_event_info_t *info);

/* True if the event is derived (its derivation is not NOT_DERIVED). Listings leave this out for an event that
 * does not count. */
bool event_is_derived(const PAPI_event_info_t *info);

/* The native events in its definition. count says 0 where they do not count; the names are there
 * all the same, for whoever wants to know what is missing. */
int event_natives(const PAPI_event_info_t *info);

/* True if the event counts; else *why is the reason, valid until the next PAPI call. */
bool event_counts(const PAPI_event_info_t *info, const char **why);

/* Something to count: floating-point operations, loads, stores and branches on memory of its own.
 *   rounds  about 10,000 instructions each
 * Returns what it computed, which the caller must look at. */
double work(int rounds);

/* Counts a little work in an event set made for it. Returns PAPI_OK, or the first error. */
int event_count_work(int event, long long *count);

/* Walks through the presets (PAPI_PRESET_MASK), the user's own events (PAPI_UE_MASK) or the native ones
 * (PAPI_NATIVE_MASK), until nobody reads on:
 *   struct events presets = {.code = PAPI_PRESET_MASK};
 *   while (events_next(&presets))
 *       ... presets.info ... */
struct events {
    int code;
    bool begun;
    PAPI_event_info_t info;
};
bool events_next(struct events *events);

/* The event as JSON: name, code, available, derived, reason, description, note ...
 *   why       it does not count; NULL: it does
 *   sentence  the line of the text, made of those and of {.note}; NULL: none */
void event_show(struct report *report, const char *key, const PAPI_event_info_t *info, const char *why,
                const char *sentence);

/* ---- the forms */

/* Printers of one event, one for each kind of text that papi_avail prints; their JSON is the same. Scripts
 * read the labels and the columns: keep them.
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
