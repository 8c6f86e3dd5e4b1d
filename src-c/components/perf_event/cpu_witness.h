/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/perf_event/perf_group.h"

/* The counters of a CPU that is switched off stop for good, and a reading shows what they had counted, as if
 * nothing had been missed; switched on again, the CPU does not take them back. Only a group's members that
 * are no longer together tell, because then a reading gives fewer. So each set that is attached to a CPU has
 * two members more, in a group of their own that counts nothing: its witness. It is not made of the set's own
 * counters: where the kernel has moved their leader (to the processor's PMU, from a software event), it takes
 * the leader off first, and a reading has zeroes for the others. */

/* With the first counter, and with the last. */
int witness_open(struct kernel_group *group, const char *root, struct reason *why);
void witness_close(struct kernel_group *group);

/* Whether what was read before was still counted. */
bool witness_is_whole(const struct kernel_group *group);

/* The counts of counters that are on no CPU any more, one by one, and why there are no more: PAPI_ECLOST. */
int witness_read_lost(const struct kernel_group *group, uint64_t *count, struct reason *why)
    __attribute__((cold));
