/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Events of the processor's own counters that papi_why asks for, where they count. */

enum counter {
    COUNTER_CYCLES,
    COUNTER_INSTRUCTIONS,
    COUNTER_MISPREDICTIONS,
    COUNTER_LAST_MISSES, /* of the last cache */
    COUNTERS
};

struct counters {
    const char *name[COUNTERS]; /* of the event; NULL: the processor does not count it */
    int n;                      /* that it counts */
};

/* Finds out which of them this processor counts, and by one event each, which can be sampled. */
void counters_find(struct counters *counters);

/* Makes options of papi_profile that sample them, in the order of enum counter. NULL behind the last; to be
 * freed, not the words. */
const char **counters_words(const struct counters *counters);
