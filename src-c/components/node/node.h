/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_COMPONENTS_NODE_NODE_H
#define PAPI_COMPONENTS_NODE_NODE_H

#include "components/component.h"

/* The components that read what the kernel shows of the whole node in files: docs/node.md has one section on
 * each. */
extern const struct component powercap_component, rapl_component, coretemp_component, net_component,
    infiniband_component, io_component, stealtime_component, lustre_component, disk_component,
    cgroup_component, pressure_component, numa_component, frequency_component;

#endif
