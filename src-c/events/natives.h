/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/nearest.h"
#include "events/native_source.h"

/* Native events that were named so far. An event gets its code when its name is first used and
 * keeps it until the library is shut down; codes are handed out in that order. */

struct native_event {
    int code;
    char *name;
    struct event_encoding encoding; /* its component at once, the rest by native_encode */
    const struct event_source *source;
    int place, mask; /* in its source, for enumeration and description; -1: none */
    enum { NOT_ENCODED, ENCODED, NO_ENCODING } state;
    bool tried;           /* whether the kernel was asked */
    struct reason answer; /* the kernel's, or why there is no encoding */
};

struct native_table {
    struct native_event **event;
    int n;
    struct event_qualifiers qualifiers; /* for its sources */
    void *by_name;                      /* a tree of tsearch(3) */
};

/* The event of a name. PAPI_ENOEVNT with the reason; PAPI_ENOMEM; PAPI_ESYS as native_encode. */
int native_by_name(struct native_table *table, struct event_tables *tables, const char *name,
                   struct native_event **out, struct reason *why);

/* Finds the event's encoding, if that was not done yet: one that its source lists may lack it (a mask may be
 * required). PAPI_ENOEVNT with the reason; PAPI_ESYS: its PMU's files cannot be opened now. */
int native_encode(struct native_event *event, struct event_tables *tables, struct reason *why);

/* The event of a code, or NULL. */
struct native_event *native_by_code(const struct native_table *table, int code);

/* The event after this one (NULL: the first) among those of a component, ALL_COMPONENTS: of all.
 * PAPI_ENOEVNT: there is none. PAPI_ENOMEM, PAPI_ESYS: they cannot be listed now. */
enum { ALL_COMPONENTS = -1 };
int native_next(struct native_table *table, struct event_tables *tables, const struct native_event *event,
                int component, struct native_event **out, struct reason *why);

/* The same event with its next mask; event without a mask gives the first. */
int native_next_mask(struct native_table *table, struct event_tables *tables,
                     const struct native_event *event, struct native_event **out, struct reason *why);

/* How many events of a component can be named, masks apart. PAPI_ENOMEM, PAPI_ESYS: they cannot be listed
 * now. */
int native_count(struct event_tables *tables, int component, struct reason *why);

/* Tries the names of all events, masks apart, for the one nearest to a name: as it is, without its masks and
 * modifiers, and, where it names no PMU, without the PMU. None gets a code by that. */
void native_nearest(struct event_tables *tables, struct nearest *nearest);

void natives_free(struct native_table *table);
