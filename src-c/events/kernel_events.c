/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The software events of every kernel (linux/perf_event.h), by the names that libpfm4 gives them. libpfm4
 * takes milliseconds of a processor to load and to find out what machine this is, in each of a job's
 * processes, and these events are the ones that count where there is no PMU. So they are encoded without it.
 * All else that is asked about them is asked of libpfm4, which has their places.
 */
#include "events/natives.h"

#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

static const struct kernel_event {
    const char *name;
    uint64_t config;
} kernel_events[] = {
    {"perf::CPU-CLOCK", PERF_COUNT_SW_CPU_CLOCK},
    {"perf::TASK-CLOCK", PERF_COUNT_SW_TASK_CLOCK},
    {"perf::PAGE-FAULTS", PERF_COUNT_SW_PAGE_FAULTS},
    {"perf::FAULTS", PERF_COUNT_SW_PAGE_FAULTS},
    {"perf::MINOR-FAULTS", PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"perf::MAJOR-FAULTS", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"perf::CONTEXT-SWITCHES", PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"perf::CS", PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"perf::CPU-MIGRATIONS", PERF_COUNT_SW_CPU_MIGRATIONS},
    {"perf::MIGRATIONS", PERF_COUNT_SW_CPU_MIGRATIONS},
};

bool pfm_has_variables(void)
{
    static const char prefix[] = "LIBPFM_";
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        if (strncmp(*variable, prefix, sizeof prefix - 1) == 0)
            return true;
    return false;
}

bool kernel_event(const char *name, struct event_encoding *encoding)
{
    for (size_t i = 0; i < sizeof kernel_events / sizeof *kernel_events; i++) {
        if (strcmp(name, kernel_events[i].name) != 0 || pfm_has_variables())
            continue;
        if (encoding != NULL)
            *encoding = (struct event_encoding){.component = COMPONENT_PERF_EVENT,
                                                .type = PERF_TYPE_SOFTWARE,
                                                .config = kernel_events[i].config,
                                                .place = PLACE_LATER};
        return true;
    }
    return false;
}
