/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/perf_event/precise_processor.h"

/* Levels to be tried, from the first down to the last. */
struct precise_levels {
    int first, last;
};

/* Finds what to try for an event that overflows: what its name asks for, or else the set's option (both as
 * group_options.precise has it), or else the most precise level at which it counts the same as without.
 * PAPI_ENOSUPP: the processor has none as precise as that. */
int precise_levels(const char *root, const struct event_encoding *event, int option,
                   struct precise_levels *levels, struct reason *why);

/* Notes the level at which the kernel took an event alone, from where it is tried the next time. */
void precise_note(const char *root, const struct event_encoding *event, int level);

/* The most that the kernel says that the processor has. */
int precise_most(const char *root);
