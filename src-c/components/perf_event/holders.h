/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"

/* Adds to a reason who has counters, as far as the kernel tells: the NMI watchdog, and the processes that
 * hold events of perf; and the advice how to count all the same. Looks through all processes, where why is
 * not NULL. */
void holders_add(const char *root, struct reason *why);

/* Sets the reason that others have the counters, with holders_add. Returns PAPI_ECNFLCT. */
int holders_reason(const char *root, struct reason *why);
