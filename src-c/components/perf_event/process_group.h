/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* The counters of a whole process, or of a tree of processes: a group for each thread that there is, which
 * what the thread starts inherits. */

struct counter_group *process_group_create(const struct group_options *options);

/* PAPI_OK if there is such a process, and one of its threads may be counted. */
int process_group_check(const struct group_options *options, struct reason *why);
