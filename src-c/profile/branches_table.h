/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "tools/common/report.h"

/* Branches by what was mispredicted, and loops with their iterations, as text and for programs. Nothing is
 * printed of a profile without records of branches.
 *   most  rows of each in the text */
void branches_print(struct report *report, const struct profile *profile, int most);
