/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Levels that are tried for an event. One that has none so precise is refused, so that a lower level is
 * tried; what was found is kept.
 */
#include "components/perf_event/precise.h"
#include "base/sysroot.h"
#include "components/perf_event/kept.h"
#include "papi.h"

#include <stdatomic.h>
#include <stdlib.h>

/* ---- what is kept as long as the process lives */

enum { TRIED = 64 };

struct kept_processor {
    struct precise_processor processor;
    _Atomic uint64_t tried[TRIED]; /* an event's hash, and in the lowest bits the level and 1 */
};

/* NULL: nothing is kept, of another machine's files or without memory. */
static struct kept_processor *kept_of(const char *root)
{
    void *_Atomic *place = root[0] == '\0' ? perf_event_kept(KEPT_PROCESSOR) : NULL;
    void *kept = place != NULL ? atomic_load(place) : NULL;
    if (kept != NULL || place == NULL)
        return kept;
    struct kept_processor *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->processor = precise_processor_at(root);
    if (atomic_compare_exchange_strong(place, &kept, made))
        return made;
    free(made);
    return kept;
}

static struct precise_processor processor_of(const char *root)
{
    const struct kept_processor *kept = kept_of(root);
    return kept != NULL ? kept->processor : precise_processor_at(root);
}

enum { LEVEL_BITS = 7 };

static uint64_t hash_of(const struct event_encoding *event)
{
    const uint64_t words[] = {event->type, event->config, event->config1, event->config2};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash & ~(uint64_t)LEVEL_BITS;
}

static int level_tried(const char *root, const struct event_encoding *event)
{
    struct kept_processor *kept = kept_of(root);
    uint64_t hash = hash_of(event), word = kept != NULL ? kept->tried[hash >> 32 & (TRIED - 1)] : 0;
    return word != 0 && (word & ~(uint64_t)LEVEL_BITS) == hash ? (int)(word & LEVEL_BITS) - 1
                                                               : PRECISE_MOST_LEVEL;
}

void precise_note(const char *root, const struct event_encoding *event, int level)
{
    struct kept_processor *kept = kept_of(root);
    uint64_t hash = hash_of(event);
    if (kept != NULL)
        kept->tried[hash >> 32 & (TRIED - 1)] = hash | (uint64_t)(level + 1);
}

/* ---- levels */

int precise_most(const char *root)
{
    return processor_of(root).most;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int exactly(const char *root, const struct event_encoding *event, int level,
                   struct precise_levels *levels, struct reason *why)
{
    int most = precise_concerns(event) ? precise_most(root) : PRECISE_MOST_LEVEL;
    *levels = (struct precise_levels){level, level};
    if (level <= most)
        return PAPI_OK;
    return reason_set(why, PAPI_ENOSUPP,
                      "samples with precise_ip %d are asked for, and the kernel has at most %d of this "
                      "processor (" SYSROOT_PMUS
                      "/cpu/caps/max_precise); on AMD's the PMU ibs_op has precise "
                      "ones, papi_native_avail lists it",
                      level, most);
}

int precise_levels(const char *root, const struct event_encoding *event, int option,
                   struct precise_levels *levels, struct reason *why)
{
    int asked = event->precise != 0 ? event->precise : option;
    *levels = (struct precise_levels){0, 0};
    if (asked != 0)
        return exactly(root, event, asked - PRECISE_EXACTLY, levels, why);
    const struct precise_processor processor = processor_of(root);
    levels->first = least(precise_same(&processor, event), level_tried(root, event));
    return PAPI_OK;
}
