/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "utils/report.h"
#include "utils/roofline/roofs.h"

/* The roofs as a table, or as the member "roofs" of the JSON, which roofs_read takes again. */
void show_roofs(struct report *report, const struct roofs *roofs);
