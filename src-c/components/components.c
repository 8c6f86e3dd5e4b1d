/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/component.h"
#include "components/emulated/emulated.h"
#include "components/perf_event/perf_event.h"

const struct component *const components[] = {
    [COMPONENT_PERF_EVENT] = &perf_event_component,
    [COMPONENT_EMULATED] = &emulated_component,
};

int component_count(void)
{
    return (int)(sizeof components / sizeof components[0]);
}

bool accum_takes_a_read(struct counter_group *group, const uint64_t *base, uint64_t *count, long long *value)
{
    (void)group;
    (void)base;
    (void)count;
    (void)value;
    return false;
}
