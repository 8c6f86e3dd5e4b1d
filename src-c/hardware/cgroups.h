/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"

#include <stdbool.h>

/* Control groups, by their folders. */

/* Opens the folder of a control group, for those who count what its tasks do. The descriptor is more than 2,
 * so that 0 can stand for none.
 *   path  of the folder; or of the group in the tree of those that can be counted, as in /proc/PID/cgroup,
 *         with or without the "/" before it
 * PAPI_EINVAL: there is no such group, and the reason has the nearest; or no tree of them.
 * PAPI_ECMP_DISABLED: the root is another machine's. PAPI_ENOMEM, PAPI_ESYS. */
int cgroup_open(const char *root, const char *path, int *folder, struct reason *why);

/* True as long as the group was not removed. */
bool cgroup_exists(int folder);
