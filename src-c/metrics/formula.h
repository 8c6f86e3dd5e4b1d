/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "metrics/metrics.h"

/* Makes the steps and names of a row from its formula. PAPI_EINVAL with the reason; PAPI_ENOMEM. */
int metrics_compile(struct metrics_row *row, struct reason *why);
