/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/component.h"
#include "components/perf_event/perf_event.h"

const struct component *const components[] = {
    &perf_event_component,
};

int component_count(void)
{
    return (int)(sizeof components / sizeof components[0]);
}
