/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "source_lines.h"
#include "tools/common/report.h"

/* Kernels and copies of devices with the lines that launch them, as text and for programs: those with most
 * time first. Nothing is printed of a profile without devices. most: so many in the text */
void devices_print(struct report *report, const struct profile *profile, struct sources *sources, int most);
