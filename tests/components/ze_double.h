/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that a test sets in ze_double.c, which stands for Level Zero's loader and the driver of Intel's
 * devices.
 */
#pragma once

#include <stddef.h>

struct ze_double {
    /* Answers of functions in place of their work; 0: it is done. */
    int init_status, drivers_status, groups_status, activate_status, open_status, read_status,
        calculate_status, close_status;
    int n_devices, no_groups;
    int n_sets_wrong, half_a_report, wrong_type, negative, no_sets; /* hostile answers */

    /* Numbers of calls, and of those that are wrong. */
    int initialized, streamers, active, wrong_calls;
    unsigned period;

    /* A device, or its tile, writes a report: of EVENTS value, of the others numbers made of it. tile -1: the
     * device's own reports, one of each of its tiles. */
    void (*report)(int device, int tile, unsigned long value);
    int dropped; /* reports are missing: said at the next reading */
};
