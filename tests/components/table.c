/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The library's table of components with one more, in place of src-c/components/components.c.
 */
#include "components/emulated/emulated.h"
#include "components/perf_event/perf_event.h"

extern const struct component net_component;

const struct component *const components[] = {
    [COMPONENT_PERF_EVENT] = &perf_event_component,
    [COMPONENT_EMULATED] = &emulated_component,
    &net_component,
};

int component_count(void)
{
    return (int)(sizeof components / sizeof components[0]);
}
