/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "points.h"
#include "tools/common/tool.h"

/* Runs a program, and finds what its regions, or else the whole of it, did.
 *   word     the program and its arguments, up to NULL
 *   emulate  what it did is counted in the emulator although counters count here
 *   *ended   how it ended, as of waitpid
 * A tool's status, after a message. A program that cannot be run, or ends with an error, has that as *ended
 * and may leave no points. */
int program_run(struct tool *tool, char **word, bool emulate, const struct roofs *roofs,
                struct points *points, int *ended);
