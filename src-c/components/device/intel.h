/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/device/device_units.h"
#include "components/device/level_zero.h"

/* Level Zero in this process. A metric has the handle of its group, which has so many metrics in a report,
 * and its index there. */
struct intel {
    struct device_units units;
    struct lz_functions call;
    uint32_t period; /* of the reports, in nanoseconds */
    struct {
        void *context, *handle;
    } of_unit[MOST_DEVICES];
};

/* Finds the library and its devices, for struct device_maker. */
int intel_open(struct device_units *units, const char *root, struct reason *why);

/* A sentence of a call that failed. */
int intel_failed(int status, const char *what, struct reason *why);

extern const struct device_counting intel_counting;
