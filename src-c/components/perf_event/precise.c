/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The precision of samples. Linux has precise ones on Intel's processors (PEBS), and says in sysfs how
 * precise (caps/max_precise). An event that has none so precise is refused, so that a lower level is tried.
 *
 * Nothing is sampled more precisely than it counts alike, unless somebody asks for it by name. On Intel's
 * processors before Ice Lake the kernel replaces cycles that are to be precise by an event that counts nearly
 * the same (uops or instructions retired, in cycles that have fewer than 16): those stay as they are. On
 * AMD's processors it replaces cycles by those of another PMU, ibs_op; there max_precise is 0, and nothing is
 * replaced here: whoever wants that PMU names it.
 */
#include "components/perf_event/precise.h"
#include "base/sysroot.h"
#include "base/text_rows.h"
#include "components/perf_event/kept.h"
#include "papi.h"

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- the processor */

struct processor {
    int most;    /* max_precise */
    bool cycles; /* precise ones are the same event */
};

/* The kernel's names of the processors whose cycles it does not replace. */
static bool has_precise_cycles(const char *name)
{
    TEXT_ROWS_BEGIN
    static const char names[][20] = {"icelake",          "sapphire_rapids",   "granite_rapids",
                                     "alderlake_hybrid", "meteorlake_hybrid", "arrowlake_h_hybrid",
                                     "lunarlake_hybrid"};
    TEXT_ROWS_END
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static struct processor look_at(const char *root)
{
    static const char *const paths[][2] = {
        {SYSROOT_PMUS "/cpu/caps/max_precise", SYSROOT_PMUS "/cpu/caps/pmu_name"},
        {SYSROOT_PMUS "/cpu_core/caps/max_precise", SYSROOT_PMUS "/cpu_core/caps/pmu_name"}};
    struct processor processor = {0};
    char name[64];
    long long most = 0;
    int at = sysroot_number(root, paths[0][0], &most) == 0 ? 0 : 1;
    if (at == 1 && sysroot_number(root, paths[1][0], &most) != 0)
        return processor;
    processor.most = most < 0 ? 0 : most > PRECISE_MOST_LEVEL ? PRECISE_MOST_LEVEL : (int)most;
    processor.cycles = processor.most > 0 && sysroot_line(root, paths[at][1], name, sizeof name) > 0 &&
                       has_precise_cycles(name);
    return processor;
}

/* ---- what is kept as long as the process lives */

enum { TRIED = 64 };

struct kept_processor {
    struct processor processor;
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
    made->processor = look_at(root);
    if (atomic_compare_exchange_strong(place, &kept, made))
        return made;
    free(made);
    return kept;
}

static struct processor processor_of(const char *root)
{
    const struct kept_processor *kept = kept_of(root);
    return kept != NULL ? kept->processor : look_at(root);
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

bool precise_concerns(const struct event_encoding *event)
{
    return event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE ||
           event->type == PERF_TYPE_RAW || event->some_cores;
}

/* True for cycles that are not halted, by the kernel's name or Intel's number. */
static bool is_cycles(const struct event_encoding *event)
{
    enum { CODE = 0xffff, UNHALTED = 0x3c };
    return event->type == PERF_TYPE_HARDWARE ? (event->config & CODE) == PERF_COUNT_HW_CPU_CYCLES
                                             : (event->config & CODE) == UNHALTED;
}

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
    if (!precise_concerns(event))
        return PAPI_OK;
    const struct processor processor = processor_of(root);
    if (processor.most > 0 && (!is_cycles(event) || processor.cycles))
        levels->first = least(processor.most, level_tried(root, event));
    return PAPI_OK;
}
