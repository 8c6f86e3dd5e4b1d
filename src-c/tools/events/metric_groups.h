/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "metric_words.h"

/* Reports how this machine counts each metric that was taken, and all of them together: in one group of
 * counters, in turns, or not at all and why. How many of them it counts. */
int groups_show(const struct by_name *by_name, struct report *report);

/* Reports all groups and their metrics. */
void groups_list(const struct by_name *by_name, struct report *report);
