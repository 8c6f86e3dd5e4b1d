/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/perf_event/perf_group.h"

/* Counters that are read each by itself, for what a read of a whole group cannot serve:
 * multiplexed, where each is a kernel group of its own and its count is scaled by the time that it was on
 * a counter; PMUs outside the cores (uncore.h), of which one kernel group takes those of one alone; and
 * inherited, one kernel group of which the kernel adds up the children's counts for each counter alone. They
 * are not pinned: the kernel tells by the times what a counter missed, in the children too. Counts that have
 * missed nothing are exact. */

int separate_read(struct counter_group *group, const uint64_t *from, uint64_t *value, struct reason *why);
int separate_stop(struct counter_group *group, struct reason *why);

/* Whose event sets they are, for messages. */
const char *separate_name(const struct kernel_group *group);
