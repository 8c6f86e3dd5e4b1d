/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that a test sets in rocp_double.c, which stands for AMD's rocprofiler-sdk, and the program's
 * kernels.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { ROCP_DOUBLE_DEVICES = 2 };

struct rocp_double {
    /* Answers of functions in place of their work; 0: it is done. */
    int version_status, agents_status, counters_status, initialized, configure_status, context_status,
        config_status, set_status, start_status, sample_status, stop_status, dimensions_status;
    uint32_t major, minor;
    int n_devices;
    int too_many, lost_record, lost_counter; /* a sample's records: more than there is room for; one is
                                              * missing, or all of the first counter */
    double added;                            /* to the value of the first record */
    int silent_start;                        /* a start does not ask for a configuration */

    /* Numbers of calls, and of those that are wrong; several threads make them. */
    _Atomic int configured, contexts, configs, running, starts, late_calls, wrong_calls;

    /* A kernel that runs on a device adds amount times (1 + instance) to each instance of each counter. Where
     * kernels are counted, it is launched, and ends when it is ended: its number. */
    void (*run)(int device, long amount);
    int (*launch)(int device, long amount);
    void (*end)(int kernel);
};
