/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "points.h"
#include "tools/common/report.h"

/* The roofs as a table, or as the member "roofs" of the JSON, which roofs_read takes again. */
void show_roofs(struct report *report, const struct roofs *roofs);

/* The points, in the order in which they were found; the member "points". */
void show_points(struct report *report, const struct roofs *roofs, const struct points *points);
