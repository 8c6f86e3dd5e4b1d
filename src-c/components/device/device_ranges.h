/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/device/device_units.h"

/* Numbers that a library gives for the instances of metrics, in any order, added up over the range of each
 * event. */

struct device_ranges {
    const struct device_units *units;
    int n;
    struct device_choice event[MAX_COUNTERS];
    size_t n_numbers[MAX_COUNTERS]; /* of each event, 0: not known yet */

    /* True if a number, by its index, is of an event, and the number itself. */
    bool (*is_of)(void *numbers, size_t index, const struct device_choice *event);
    double (*number)(void *numbers, size_t index);
};

/* Begins with the events of a plan. */
int device_ranges_begin(struct device_ranges *ranges, const struct device_plan *plan, struct reason *why);

/* Lists the metrics of the events, each once, and the instances that these have in all. Their number. */
int device_ranges_metrics(const struct device_ranges *ranges, const struct device_metric **metric,
                          size_t *instances);

/* Adds up n numbers. PAPI_EMISC: an event has none, or not as many as before, or a sum that no counter has.
 */
int device_ranges_sum(struct device_ranges *ranges, void *numbers, size_t n, double *sum, struct reason *why);

/* Makes whole numbers of sums. */
void device_ranges_round(const double *sum, int n, uint64_t *count);
