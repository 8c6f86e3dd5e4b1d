/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/components.h"
#include "components/component.h"

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
    &cuda_component,
    &appio_component,
    &counted_component,
    &topdown_component,
    &sysdetect_component,
    &lmsensors_component,
    &powercap_ppc_component,
    &sensors_ppc_component,
    &amd_smi_component,
    &rocm_smi_component,
    &intel_smi_component,
    &rocp_sdk_component,
    &pcp_component,
    &intel_gpu_component,
};

int component_count(void)
{
    return (int)(sizeof components / sizeof components[0]);
}

/* ---- counts of real numbers */

/* A count as it is kept, and what its bits are where it is a double's. */
union count {
    uint64_t bits;
    double real;
};

static bool is_real(const struct counter_group *group, int counter)
{
    return (group->reals >> counter & 1) != 0;
}

uint64_t count_sum(const struct counter_group *group, int counter, uint64_t a, uint64_t b)
{
    union count x = {a}, y = {b};
    return is_real(group, counter) ? (union count){.real = x.real + y.real}.bits : a + b;
}

uint64_t count_difference(const struct counter_group *group, int counter, uint64_t a, uint64_t b)
{
    union count x = {a}, y = {b};
    return is_real(group, counter) ? (union count){.real = x.real - y.real}.bits : a - b;
}

bool accum_takes_a_read(struct counter_group *group, const uint64_t *base, uint64_t *count, long long *value)
{
    (void)group, (void)base, (void)count, (void)value;
    return false;
}
