/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"

#include <linux/perf_event.h>
#include <stdbool.h>

/* Finds how the kernel samples branches with the processor's records of the last ones (Intel's LBR, AMD's
 * LbrExtV2, Arm's BRBE). attr: the event, with branch_sample_type. root: see base/sysroot.h. False: it does
 * not, with a reason. */
bool branch_event_find(const char *root, struct perf_event_attr *attr, struct reason *why);
