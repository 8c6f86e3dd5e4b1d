/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/device/device_session.h"

/* Plans of a device that counts a span at a time, from a start or a reading to the next, and gives the values
 * of that span alone. Spans are put together: counts are added up, and levels as their event says. */

enum device_together {
    DEVICE_ADDED,    /* a count, or a level that has a sum */
    DEVICE_LEAST,    /* the least of the spans */
    DEVICE_GREATEST, /* and the greatest */
    DEVICE_OVER_TIME /* a share or a rate: its mean over the time of the spans */
};

/* The head of a vendor's plan. A preparation fills in the first four members. */
struct device_spans {
    struct device_plan plan;
    enum device_together together[MAX_COUNTERS];
    int (*begin)(struct device_spans *spans, struct reason *why); /* the first one opens the device */
    /* Waits for the device and ends the span, with its seconds, the value of each event, and dropped. Values
     * are not a number before, and remain so where they are shares of nothing. */
    int (*end)(struct device_spans *spans, double *value, struct reason *why);
    void (*close)(struct device_spans *spans); /* also what was never begun, or failed */

    bool dropped;                 /* the library has not all counts of the last span */
    double since, seconds;        /* when the span began, and how long the last one took */
    uint64_t count[MAX_COUNTERS]; /* since the start */
    double level[MAX_COUNTERS], weight[MAX_COUNTERS];
    struct reason lost; /* a span's counts are, since the start */
};

/* Functions of struct device_counting. Only a reading waits for what the device still does: a stop, before
 * which there is always one, does not. */
int device_spans_start(struct device_plan *plan, struct reason *why);
int device_spans_read(struct device_plan *plan, uint64_t *count, struct reason *why);
int device_spans_stop(struct device_plan *plan, struct reason *why);
void device_spans_renew(struct device_plan *plan);
