/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters.h"
#include "papi.h"
#include "tools/common/allocate.h"
#include "tools/common/event.h"

#include <stdbool.h>

/* An event set counts it, and so does not say more than the kernel does. */
static bool can_count(int code)
{
    int set = PAPI_NULL;
    if (PAPI_create_eventset(&set) != PAPI_OK)
        return false;
    bool counts = PAPI_add_event(set, code) == PAPI_OK;
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
    return counts;
}

/* Sampling takes one event: a sum does not overflow. */
static bool can_sample(const char *name)
{
    PAPI_event_info_t info;
    int code;
    if (PAPI_event_name_to_code(name, &code) != PAPI_OK || PAPI_get_event_info(code, &info) != PAPI_OK ||
        !can_count(code))
        return false;
    return !event_is_composed(&info) || event_natives(&info) == 1;
}

void counters_find(struct counters *counters)
{
    enum { WAYS = 2 };
    /* perf::CACHE-MISSES is not among them: on some processors it is of another level than the last. */
    static const char *const names[COUNTERS][WAYS] = {
        [COUNTER_CYCLES] = {"PAPI_TOT_CYC", "perf::CYCLES"},
        [COUNTER_INSTRUCTIONS] = {"PAPI_TOT_INS", "perf::INSTRUCTIONS"},
        [COUNTER_MISPREDICTIONS] = {"PAPI_BR_MSP", "perf::BRANCH-MISSES"},
        [COUNTER_LAST_MISSES] = {"PAPI_L3_TCM", "perf::LLC-LOAD-MISSES"},
    };
    *counters = (struct counters){.n = 0};
    for (int i = 0; i < COUNTERS; i++) {
        for (int j = 0; j < WAYS && counters->name[i] == NULL; j++)
            if (can_sample(names[i][j]))
                counters->name[i] = names[i][j];
        counters->n += counters->name[i] != NULL;
    }
}

const char **counters_words(const struct counters *counters)
{
    const char **words = memory_more(NULL, 2 * COUNTERS + 2, sizeof *words);
    int n = 0;
    words[n++] = "--stacks=none";
    for (int i = 0; i < COUNTERS; i++)
        if (counters->name[i] != NULL) {
            words[n++] = "-e";
            words[n++] = counters->name[i];
        }
    words[n] = NULL;
    return words;
}
