/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"

/* Says of which strings of a profile a program or library that it names has source files in its debug
 * information, and that belongs to this user or to root. No server is asked. */
void named_sources(const struct profile *profile, bool *named);
