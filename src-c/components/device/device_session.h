/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include <sys/types.h>

/* Groups whose counters are those of devices, and count only while a group is started: the part that is the
 * same for all vendors (device_units.h has the whole). A device counts for one group at a time. The events
 * that a group has of one device are made a plan, which the vendor's library starts, reads and stops. */

enum { MOST_DEVICES = 64 };

/* The groups that have devices: an opened library begins with it. All zeroes at first but for the process. */
struct device_owners {
    pid_t process; /* that opened it: the child of a fork has no use for it */
    struct device_owner {
        const void *_Atomic group;
        _Atomic int thread;
    } of[MOST_DEVICES];
};

/* Events of one device that are counted together: the vendor's own structure begins with it. */
struct device_plan {
    void *opened; /* the library, as the events have it */
    int n;
    const struct component_event *event[MAX_COUNTERS]; /* held by the group */
};

/* The vendor's functions, all called while signals are held. */
struct device_counting {
    const char *name;                                   /* the component's */
    size_t size;                                        /* of a plan */
    int (*device)(const struct component_event *event); /* below MOST_DEVICES */

    /* Makes a plan of zeroes and its events one that counts them. PAPI_ECNFLCT: they cannot be counted
     * together, with the reason. Discarded it is in any case. */
    int (*prepare)(struct device_plan *plan, struct reason *why);
    void (*discard)(
        struct device_plan *plan); /* NULL: it has nothing but its memory, which is the caller's */

    int (*start)(struct device_plan *plan, struct reason *why);
    /* Counts of each event since the start. PAPI_ECLOST: they are there, and may be too little. */
    int (*read)(struct device_plan *plan, uint64_t *count, struct reason *why);
    /* Stops; stopped it is even where an error comes back. */
    int (*stop)(struct device_plan *plan, struct reason *why);
    /* Has levels begin anew that are computed of the time since the start, after a reset. NULL: none are. */
    void (*renew)(struct device_plan *plan);
};

/* For the component's check_options: refuses all but the plain ones. */
int device_session_options(const char *name, const struct group_options *options, struct reason *why);

/* For its try_event: makes a plan and tries it, where there is a function for that. PAPI_ENOSUPP: the process
 * is the child of the one that opened the library. */
int device_session_try(const struct device_counting *counting, const struct component_event *event,
                       int (*try_plan)(struct device_plan *plan, struct reason *why), struct reason *why);

/* For its create. */
struct counter_group *device_session_create(const struct group_options *options,
                                            const struct device_counting *counting);

/* The functions check_options and create of such a component. */
#define DEVICE_SESSION_FUNCTIONS(COUNTING)                                                                   \
    static int check_options(const char *root, const struct group_options *options, struct reason *why)      \
    {                                                                                                        \
        (void)root;                                                                                          \
        return device_session_options((COUNTING).name, options, why);                                        \
    }                                                                                                        \
    static struct counter_group *create(const struct group_options *options)                                 \
    {                                                                                                        \
        return device_session_create(options, &(COUNTING));                                                  \
    }

#define DEVICE_SESSION_COMPONENT(NAME)                                                                       \
    LISTING_MEMBERS(NAME), .granularity = PAPI_GRN_SYS, .check_options = check_options, .create = create
