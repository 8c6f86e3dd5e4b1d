/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_PERF_EVENT_GROUP_H
#define PAPI_PERF_EVENT_GROUP_H

#include "components/component.h"
#include <linux/perf_event.h>

/* An empty kernel group, whose counters are pinned and read at once. */
struct counter_group *group_create(const struct group_form *form);
/* For every kind of group: why an event was refused beside those that the group has, by what came of
 * opening it alone, or that the group is never on the counters with it; and whether the thread to which a
 * group with the descriptor fd is attached has ended. */
int refused_with_others(const struct counter_group *group, int code, const struct reason *alone,
                        struct reason *why);
int no_counter_left(int n, struct reason *why);
int start_too_late(const struct counter_group *group, struct reason *why);
bool target_ended(const struct counter_group *group, const char *root, int fd);

/* Whether a read of the running group needs no system call. */
bool group_reads_in_user_space(const struct counter_group *group);

/* The kernel's description of an event in a domain. */
void describe_event(const struct event_encoding *event, int domain, struct perf_event_attr *attr);

/* An event of the processor, not of the kernel's software. */
bool is_hardware_event(const struct event_encoding *event);

#endif
