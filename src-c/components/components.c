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
