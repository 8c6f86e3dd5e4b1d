/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/device_activity.h"

/* AMD's devices as the kernel's driver amdgpu shows them. */

struct kfd_device {
    char name[ACTIVITY_NAME], address[ACTIVITY_ADDRESS];
};

/* True if the kernel has a device that computes. */
bool kfd_shows_device(void);

/* Finds the names and addresses of devices: is_device says of each agent, of which the kernel has a node in
 * the same order, whether it is one. Without them where the nodes are others. */
void kfd_devices(const bool *is_device, int n_agents, struct kfd_device *device, int n_devices);
