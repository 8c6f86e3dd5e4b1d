/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "metrics/metrics.h"
#include "record/record.h"

/* What "@flops" in PAPI_EVENTS asks for: gives take each event that the metrics need, and puts them into the
 * record. PAPI_OK, or a code with the reason. */
int plan_metrics(const char *word, struct rank_record *record, int (*take)(void *context, const char *event),
                 void *context, struct reason *why);
