/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

#include <linux/perf_event.h>

/* The processor's PMU that samples an event, and what the kernel wants for it. */

enum sampling_pmu {
    SAMPLED_AS_COUNTED, /* by a counter that overflows, or by the kernel */
    SAMPLED_BY_IBS_OP,
    SAMPLED_BY_IBS_FETCH,
    SAMPLED_BY_SPE
};

enum sampling_pmu sampling_pmu_of(const char *root, const struct event_encoding *event);

/* True if the kernel may be asked where a sample's data was. */
bool sampling_may_have_source(const struct event_encoding *event);

/* True where the kernel samples the event as a member of a group alone, whose first event is the one that
 * leader receives. */
bool sampling_needs_leader(const char *root, const struct event_encoding *event,
                           struct event_encoding *leader);
