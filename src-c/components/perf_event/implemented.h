/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* Whether the processor implements an event that the kernel would open in any case. 64-bit ARM: the
 * kernel programs every event number, and those that the core lacks read 0 for ever; but it lists
 * the architecture's events that the core has (PMCEID) in sysfs. 1 also where nothing is known; -1
 * where that cannot be read now, with errno. */
int processor_implements(struct pmu_table *pmus, const struct event_encoding *event);
