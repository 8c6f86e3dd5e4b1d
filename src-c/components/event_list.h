/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_COMPONENTS_EVENT_LIST_H
#define PAPI_COMPONENTS_EVENT_LIST_H

#include "base/reason.h"
#include <stdbool.h>
#include <stdint.h>

/* The events of a component that names them itself, as it found them on this machine. */

struct component_event {
    char *name, *description; /* the name after the component's prefix */
    char *file;      /* where the kernel shows the number, under the root of base/sysroot.h; or NULL */
    uint64_t config; /* the component's own number for it */
};

/* Begins as zeroes. */
struct event_list {
    struct component_event *event;
    int n, room;
    bool read;
};

/* Appends a copy. PAPI_ENOMEM. */
int event_list_add(struct event_list *list, const struct component_event *event, struct reason *why);

/* The index of the event of a name, in any case of letters; -1: there is none. */
int event_list_find(const struct event_list *list, const char *name);

void event_list_free(struct event_list *list);

#endif
