/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "source_lines.h"
#include "tools/common/report.h"

/* Data that causes misses of caches, as text and for programs: most of the last level first. Nothing is
 * printed of a profile without it. most  so many in the text */
void data_print(struct report *report, const struct profile *profile, struct sources *sources, int most);
