/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "metric_words.h"

/* True if the timers of this process are the emulator's, which are not those of a processor: papi_emulate
 * counts, without --native-times. */
bool emulated_times(void);

/* Has papi_emulate run the tool, with the caches and the native times that what is counted needs.
 *   n, name  the events and metrics; the metrics have been taken
 *   word     all of the tool's words
 * Returns only where it cannot: TOOL_ERROR, after a message. */
int emulated_count(struct tool *tool, const struct by_name *by_name, int n, char *const *name,
                   char *const *word);
