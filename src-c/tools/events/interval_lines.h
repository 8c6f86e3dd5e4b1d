/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "count_sets.h"
#include "tools/common/counted_command.h"
#include "tools/common/report.h"

/* A line each interval, of events that are counted: what counters grew by in it, and what levels are. It goes
 * on until the lines are printed or command_wait says that it is over; the signals are held.
 *   interval  seconds
 *   lines     the last one ends it; 0: no limit
 * A code of PAPI's: the counts cannot be read. */
int watch_run(struct report *report, struct count_sets *sets, double interval, long long lines,
              const struct command *command);
