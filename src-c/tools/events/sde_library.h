/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tools/common/tool.h"

/* Loads a library and has it register its software-defined events, without running it otherwise. A tool's
 * status, after a message. */
int sde_load(struct tool *tool, const char *file);
