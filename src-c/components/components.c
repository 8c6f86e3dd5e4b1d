/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/components.h"

const struct component *const components[] = {
    [COMPONENT_PERF_EVENT] = &perf_event_component,
    [COMPONENT_EMULATED] = &emulated_component,
    [COMPONENT_UNCORE] = &uncore_component,
    &powercap_component,
    &rapl_component,
    &coretemp_component,
    &net_component,
    &infiniband_component,
    &io_component,
    &stealtime_component,
    &lustre_component,
    &disk_component,
    &cgroup_component,
    &pressure_component,
    &numa_component,
    &frequency_component,
    &sde_component,
    &nvml_component,
    &appio_component,
    &counted_component,
    &topdown_component,
    &sysdetect_component,
};

int component_count(void)
{
    return (int)(sizeof components / sizeof components[0]);
}
