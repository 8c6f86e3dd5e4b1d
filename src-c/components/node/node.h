/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* The components that read what is shown of the whole node, most of it by the kernel in files: docs/node.md
 * describes each. */
extern const struct component powercap_component, rapl_component, coretemp_component, net_component,
    infiniband_component, io_component, stealtime_component, lustre_component, disk_component,
    cgroup_component, pressure_component, numa_component, frequency_component, nvml_component,
    sysdetect_component;
