/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* The components of the library, each of which is defined in the file of its name; components.c puts them in
 * order. */

/* Counters that the kernel gives to a thread or a CPU: of the cores, and those of PMUs outside the cores,
 * which are no thread's. */
extern const struct component perf_event_component, uncore_component;

/* Shares of what the cores' counters count. */
extern const struct component topdown_component;

/* Exact counts of what a program's instructions do: where papi_emulate runs it, and where papi_counted built
 * it. */
extern const struct component emulated_component, counted_component;

/* Numbers that a program's libraries register with libsde, and counts of the program's calls of input and
 * output. */
extern const struct component sde_component, appio_component;

/* Counters of devices that compute: docs/gpu.md. */
extern const struct component cuda_component, rocp_sdk_component, intel_gpu_component;

/* Numbers of the whole node, most of which the kernel shows in files: docs/node.md describes each. */
extern const struct component powercap_component, rapl_component, coretemp_component, net_component,
    infiniband_component, io_component, stealtime_component, lustre_component, disk_component,
    cgroup_component, pressure_component, numa_component, frequency_component, nvml_component,
    sysdetect_component, lmsensors_component, powercap_ppc_component, pcp_component, amd_smi_component,
    rocm_smi_component, intel_smi_component, sensors_ppc_component;
