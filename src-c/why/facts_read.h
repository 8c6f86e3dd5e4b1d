/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "counters.h"
#include "facts.h"
#include "watch.h"

#include <jansson.h>

/* Takes what a sampled profile (papi_profile -e perf::CPU-CLOCK -e perf::PAGE-FAULTS) says. root has to be
 * there as long as facts. NULL, or a sentence to be freed: it is no such profile. */
char *facts_take_times(struct facts *facts, const json_t *root);

/* Adds what an exact profile of the same program with the events of counted_events says. */
char *facts_take_counts(struct facts *facts, const json_t *root);

/* Adds what a profile with the events of counters_words says. */
char *facts_take_measured(struct facts *facts, const json_t *root, const struct counters *counters);

/* Adds the times of a run on one processor. */
char *facts_take_alone(struct facts *facts, const json_t *root);

/* Adds what the roofs of papi_roofline --json say of memory. */
void facts_take_roofs(struct facts *facts, const json_t *root);

/* Options of papi_profile, NULL behind the last. levels: of the machine's caches for data */
extern const char *const sampled_events[];
const char *const *counted_events(int levels);
