/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "native.h"
#include "tools/common/tool.h"

/* An event set, and which other events it takes. */

/* Puts the named events into a new event set. TOOL_FINE; TOOL_ERROR: one does not exist, or does not go with
 * those before it, which was printed. */
int chooser_open(struct tool *tool, char **name, int n, int *set);

/* True if the event can be added too. It is not left in the set. */
bool chooser_takes(int set, int code);

/* Leaves of a native event's masks those that can be added; alone: it can be without one. False: nothing of
 * it. */
bool chooser_keeps(int set, struct native *native);

void chooser_close(int set);
