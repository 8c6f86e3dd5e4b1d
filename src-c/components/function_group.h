/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* What components have in common whose numbers are asked of a function, one by one: of a device's library, of
 * this process. The numbers move all the time, whether a group is started or not. */

struct function_source {
    /* The event's number now. */
    int (*ask)(const struct component_event *event, uint64_t *now, struct reason *why);

    /* Sets the number of an event that is writable. NULL: none is. */
    int (*set)(const struct component_event *event, long long value, struct reason *why);
};

/* For the component's create and try_event. */
struct counter_group *function_create(const struct group_options *options,
                                      const struct function_source *source);
int function_try(const struct function_source *source, const struct event_encoding *event,
                 struct reason *why);
