/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include <sys/types.h>

/* Groups whose counters are those of devices, and count only while a group is started: the part that is the
 * same for all vendors. A device counts for one group at a time. The events that a group has of one device
 * are made a plan, which the vendor's library starts, reads and stops. */

enum { MOST_DEVICES = 64 };

/* The groups that have devices, in the structure of an opened library: begins as zeroes but for the
 * process. */
struct device_owners {
    pid_t process; /* that opened it: the child of a fork has no use for it */
    struct device_owner {
        const void *_Atomic group;
        _Atomic int thread;
    } of[MOST_DEVICES];
};

/* The vendor's functions, all called while signals are held. Each gets events that are of one device. */
struct device_counting {
    const char *name; /* the component's */
    struct device_owners *(*owners)(const struct component_event *event);
    int (*device)(const struct component_event *event); /* below MOST_DEVICES */

    /* Makes a plan that counts n events together. PAPI_ECNFLCT: they cannot be, with the reason. */
    int (*prepare)(const struct component_event *const *event, int n, void **plan, struct reason *why);
    void (*discard)(void *plan);

    int (*start)(void *plan, struct reason *why);
    /* Counts of each event since the start. PAPI_ECLOST: they are there, and may be too little. */
    int (*read)(void *plan, uint64_t *count, struct reason *why);
    /* Stops; stopped it is even where an error comes back. */
    int (*stop)(void *plan, struct reason *why);
    /* Has levels begin anew that are computed of the time since the start, after a reset. NULL: none are. */
    void (*renew)(void *plan);
};

/* For the component's check_options: refuses all but the plain ones. */
int device_session_options(const char *name, const struct group_options *options, struct reason *why);

/* For its try_event. PAPI_ENOSUPP: the process is the child of the one that opened the library. */
int device_session_try(const struct device_counting *counting, const struct component_event *event,
                       struct reason *why);

/* For its create. */
struct counter_group *device_session_create(const struct group_options *options,
                                            const struct device_counting *counting);
