/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* The counters of a whole process, or of a tree of processes: a group for each thread that there is, which
 * what the thread starts inherits. */

struct counter_group *process_group_create(const struct group_options *options);

/* Opens the events on a thread: the members of such groups. A thread that has ended needs none, and *opened
 * is NULL. */
int process_member_open(const struct group_options *options, int tid, const struct event_encoding *event,
                        int n, struct counter_group **opened, struct reason *why);

/* Says that no descriptor is left for so many threads with so many events. Returns PAPI_ESYS. */
int process_no_descriptor(const struct group_options *options, int threads, int events, struct reason *why);

/* PAPI_OK if there is such a process, and one of its threads may be counted. */
int process_group_check(const struct group_options *options, struct reason *why);
