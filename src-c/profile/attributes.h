/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "tools/common/tool.h"

#include <linux/perf_event.h>

/* What the kernel is asked for: events by the library's names, as it samples them. */

struct attributes {
    int n;
    struct perf_event_attr attr[PROFILE_EVENTS];
};

/* Adds EVENT or EVENT=PERIOD, and describes it in the profile. NULL: cycles where the processor counts them,
 * or its clock. A tool's status, after a message. */
int attributes_add(struct attributes *attributes, struct tool *tool, const char *word,
                   struct profile *profile);
