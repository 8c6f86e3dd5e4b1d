/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Clock rates of the processors, and how often they were slowed down, "frequency:::cpu0:khz".
 */
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Documentation/admin-guide/pm/cpufreq.rst, Documentation/ABI/testing/sysfs-devices-system-cpu */
#define PROCESSORS "/sys/devices/system/cpu"

TEXT_ROWS_BEGIN
static const struct event_row counts[] = {
    {"khz", "The frequency that the kernel has chosen for %s", .file = "cpufreq/scaling_cur_freq",
     .level = true, .unit = "kHz"},
    {"core_throttles", "How often the core of %s was slowed down because it was too hot",
     .file = "thermal_throttle/core_throttle_count", .unit = "times"},
    {"core_throttled_ms", "How long the core of %s was slowed down because it was too hot",
     .file = "thermal_throttle/core_throttle_total_time_ms", .unit = "ms"},
    {"package_throttles", "How often the package of %s was slowed down because it was too hot",
     .file = "thermal_throttle/package_throttle_count", .unit = "times"},
    {"package_throttled_ms", "How long the package of %s was slowed down because it was too hot",
     .file = "thermal_throttle/package_throttle_total_time_ms", .unit = "ms"},
};
TEXT_ROWS_END

static int add_processor(void *to, const char *cpu, struct reason *why)
{
    char folder[PATH_MAX];
    if (!isdigit((unsigned char)cpu[strlen("cpu")])) /* cpufreq, cpuidle */
        return PAPI_OK;
    snprintf(folder, sizeof folder, PROCESSORS "/%s/", cpu);
    return files_add_rows(to, counts, sizeof counts / sizeof *counts, folder, cpu, why);
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct files_list to = {root, list};
    return files_each(root, PROCESSORS, "cpu", add_processor, &to, why);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct event_list events = {0};
    files_discover(pmus, state, PROCESSORS, "cpu", "the processors");
    if (state->disabled.code == PAPI_OK && list(pmus->root, &events, &state->disabled) == PAPI_OK &&
        events.n == 0)
        reason_set(&state->disabled, PAPI_ENOSUPP,
                   PROCESSORS "/cpu0 has neither cpufreq nor thermal_throttle (virtual machines have none)");
    event_list_free(&events);
}

const struct component frequency_component = {
    FILES_COMPONENT("frequency"),
    .description = "The frequencies of processors, and how often heat slowed them down",
    .list = list,
    .discover = discover,
};
