/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"

/* Sets the reason that an event got no counter at all, with who has counters, as far as the kernel tells: the
 * NMI watchdog, and the processes that hold events of perf. Returns PAPI_ECNFLCT. Looks through all
 * processes, where why is not NULL. */
int holders_reason(const char *root, struct reason *why);
