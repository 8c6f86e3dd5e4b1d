/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "points.h"

/* Where operations and bytes come from: the events that count them. */
struct source {
    const char *name;
    const char *operations[2]; /* single and double precision; NULL: none */
    /* Lines that the data caches lacked, from the first level; without writes, of all accesses. */
    const char *read[ROOFS_LEVELS], *written[ROOFS_LEVELS];
};

/* The emulator, with its caches; and all presets, whether they count here or not. */
extern const struct source source_emulator, source_presets;

/* The machine's counters: false where no operations, or nothing that came from memory, count here; then *why
 * is a sentence. levels: caches of the roofs. */
bool source_counters(struct source *source, int levels, const char **why);

/* Its events, for PAPI_EVENTS. To be freed. */
char *source_events(const struct source *source, int levels);

/* Adds what a region did: amounts of an event that was asked for, by its name. line: bytes of a cache line.
 */
void source_add(const struct source *source, struct point *point, const char *event, double amount,
                const struct roofs *roofs);
