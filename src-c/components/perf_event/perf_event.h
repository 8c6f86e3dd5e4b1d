/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_PERF_EVENT_H
#define PAPI_PERF_EVENT_H

#include "components/component.h"

extern const struct component perf_event_component;

/* The same counters, of PMUs that are no thread's: those outside the cores. */
extern const struct component uncore_component;

/* Shares of what the cores' counters count. */
extern const struct component topdown_component;

#endif
