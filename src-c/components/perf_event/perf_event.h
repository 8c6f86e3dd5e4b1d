/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* Members shared by components that count the cores' events for threads. */
#define THREADS_MEMBERS                                                                                      \
    .default_domain = PAPI_DOM_USER,                                                                         \
    .available_domains = PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR, .attach = true,              \
    .inherit = true, .cpu = true

/* Options for counts that the cores of a package have in common: of no thread and in all modes, on the
 * options' CPU or, where it has none, on the event's. */
struct group_options uncore_options(const struct event_encoding *event, const struct group_options *options);

/* Looks whether the processor implements an event that the kernel would open in any case: 1 or 0. 64-bit ARM:
 * the kernel programs every event number, and those that the core lacks read 0 for ever; but it lists the
 * architecture's events that the core has (PMCEID) in sysfs. 1 also where nothing is known; -1 where that
 * cannot be read now, with errno. */
int processor_implements(struct pmu_table *pmus, const struct event_encoding *event);
