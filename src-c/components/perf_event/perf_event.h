/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* What components have in common that count the cores' events for threads. */
#define THREADS_MEMBERS                                                                                      \
    .default_domain = PAPI_DOM_USER,                                                                         \
    .available_domains = PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR, .attach = true,              \
    .inherit = true, .cpu = true

extern const struct component perf_event_component;

/* The same counters, of PMUs that are no thread's: those outside the cores. */
extern const struct component uncore_component;

/* Shares of what the cores' counters count. */
extern const struct component topdown_component;
