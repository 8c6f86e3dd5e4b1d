/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/device/device_session.h"
#include "components/device/level_zero.h"

/* Level Zero in this process: opened when it is first needed, and kept. */

/* A metric of a group. Of the numbers in the device's reports its value is ... */
struct intel_metric {
    char *name; /* "GROUP.METRIC" */
    void *handle;
    int index; /* in the group */
    enum { INTEL_SUM, INTEL_MEAN, INTEL_LAST } value;
};

struct intel_group {
    void *handle;
    int n_metrics; /* of a report */
    int first, n;  /* those that are events, among the unit's */
};

/* A device, or one of its tiles: each has counters of its own. */
struct intel_unit {
    void *context, *handle;
    int device, tile; /* tile -1: the whole device */
    struct intel_group *group;
    struct intel_metric *metric;
    int n_groups, n_metrics;
};

struct intel {
    struct lz_functions call;
    void *library;
    struct device_owners owners;
    uint32_t period; /* of the reports, in nanoseconds */
    int n_devices, n_units;
    struct intel_unit unit[MOST_DEVICES];
};

/* The library of this process, opened where it is not. PAPI_ENOSUPP: it cannot be. */
int intel_open(const char *root, struct intel **out, struct reason *why);

/* A sentence of a call that failed. */
int intel_failed(int status, const char *what, struct reason *why);

/* The unit's metric of a name; NULL: it has none. */
const struct intel_metric *intel_metric(const struct intel_unit *unit, const char *name);

/* An event: a metric of a unit. PAPI_ENOEVNT. */
struct intel_event {
    int unit;
    const struct intel_metric *metric;
    const struct intel_group *group;
};
int intel_event(const struct intel *intel, const char *name, struct intel_event *event, struct reason *why);

extern const struct device_counting intel_counting;
