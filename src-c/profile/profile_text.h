/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "tools/common/report.h"

/* A profile as text, and for programs as JSON: routines and lines, those with most of the first event first.
 *   most  so many of each in the text */
void show(struct report *report, const struct profile *profile, int most);
