/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The precision of samples. Linux has precise ones on Intel's processors (PEBS), and says in sysfs how
 * precise (caps/max_precise).
 *
 * Nothing is sampled more precisely than it counts alike, unless somebody asks for it by name. On Intel's
 * processors before Ice Lake the kernel replaces cycles that are to be precise by an event that counts nearly
 * the same (uops or instructions retired, in cycles that have fewer than 16): those stay as they are. On
 * AMD's processors it replaces cycles by those of another PMU, ibs_op; there max_precise is 0, and nothing is
 * replaced here: whoever wants that PMU names it.
 */
#include "components/perf_event/precise_processor.h"
#include "base/sysroot.h"
#include "base/text_rows.h"

#include <linux/perf_event.h>
#include <string.h>

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

struct precise_processor precise_processor_at(const char *root)
{
    static const char *const paths[][2] = {
        {SYSROOT_PMUS "/cpu/caps/max_precise", SYSROOT_PMUS "/cpu/caps/pmu_name"},
        {SYSROOT_PMUS "/cpu_core/caps/max_precise", SYSROOT_PMUS "/cpu_core/caps/pmu_name"}};
    struct precise_processor processor = {0};
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

int precise_same(const struct precise_processor *processor, const struct event_encoding *event)
{
    return precise_concerns(event) && (!is_cycles(event) || processor->cycles) ? processor->most : 0;
}
