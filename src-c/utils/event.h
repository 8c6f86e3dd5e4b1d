/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_UTILS_EVENT_H
#define PAPI_UTILS_EVENT_H

#include "base/json.h"
#include "papi.h"
#include "tool.h"

/* One event, as the tools describe it. */

/* The event that an argument names. TOOL_FINE; TOOL_ERROR: there is none, which was printed. */
int event_find(struct tool *tool, const char *name, PAPI_event_info_t *info);

bool event_is_preset(const PAPI_event_info_t *info);

/* Presets and the user's own events are made of native ones. */
bool event_is_composed(const PAPI_event_info_t *info);

/* Of an event that does not count, the listings say neither. */
bool event_is_derived(const PAPI_event_info_t *info);

/* The native events in its definition. count says 0 where they do not count; the names are there
 * all the same, for whoever wants to know what is missing. */
int event_natives(const PAPI_event_info_t *info);

/* Whether it counts, and if not, why: a text that lasts until the next PAPI call. */
bool event_counts(const PAPI_event_info_t *info, const char **why);

/* The qualifiers of a native event: its masks and modifiers. PAPI_OK: mask is that behind code, which
 * begins as the event's own. */
int event_next_mask(int *code, PAPI_event_info_t *mask);

/* The event in several lines of labels and texts, and its masks behind it. */
void event_print(const PAPI_event_info_t *info, bool available, const char *why);
void event_print_masks(const PAPI_event_info_t *info);

/* The same as an object of JSON: name, code, available, derived, reason, description, note ... */
void event_json(struct json *json, const char *key, const PAPI_event_info_t *info, bool available,
                const char *why);

/* The member "masks". */
void event_masks_json(struct json *json, const PAPI_event_info_t *info);

#endif
