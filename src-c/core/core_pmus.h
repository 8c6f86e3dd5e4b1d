/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_CORE_CORE_PMUS_H
#define PAPI_CORE_CORE_PMUS_H

#include "events/presets.h"

/* The PMUs of the processor's cores that sysfs shows, in the order of their names, and which processor
 * each is of. Returns how many: 0 where sysfs is hidden or the machine shows no counters; -1 where it cannot
 * be read now, with errno. */
int core_pmus_find(const char *root, struct core_pmu core[MAX_CORE_PMUS]);

#endif
