/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/gpus.h"

#include <stddef.h>

/* The first of the files by which programs reach a device that is there and that the caller may not open, and
 * the name of its group; NULL: there is none. */
const char *device_closed_file(const struct gpu *gpu, char *group, size_t size);

/* The driver that has to be bound to a device, so that it can be counted on: "i915 or xe". */
const char *device_driver(const struct gpu *gpu);
