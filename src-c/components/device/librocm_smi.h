/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Numbers and structures of rocm_smi.h, as far as the component rocm_smi needs them. The test
 * components.real_headers compares them with that. */

enum { MOST_CLOCKS = 33 };
enum {
    RSMI_SUCCESS = 0,
    RSMI_INVALID_ARGUMENTS = 1,
    RSMI_NOT_SUPPORTED = 2,
    RSMI_FILE_ERROR = 3,
    RSMI_PERMISSION = 4,
    RSMI_OUT_OF_RESOURCES = 5,
    RSMI_INIT_ERROR = 8,
    RSMI_NOT_YET_IMPLEMENTED = 9,
    RSMI_NOT_FOUND = 10,
    RSMI_INTERRUPT = 12,
    RSMI_NO_DATA = 14,
    RSMI_BUSY = 16,
};
enum { OF_MEMORY, OF_VISIBLE_MEMORY, OF_GTT };
enum { SYSTEM_CLOCK = 0, FABRIC_CLOCK = 1, SOC_CLOCK = 3, MEMORY_CLOCK = 4 };
enum {
    ROCM_NOW,
    ROCM_MAX,
    ROCM_MIN,
    ROCM_MAX_HYST,
    ROCM_MIN_HYST,
    ROCM_CRITICAL,
    ROCM_CRITICAL_HYST,
    ROCM_EMERGENCY,
    ROCM_EMERGENCY_HYST,
};

/* Frequencies of a clock. Libraries before ROCm 6 do not have the first member, sleeps, and one fewer of
 * them. */
struct clocks {
    bool sleeps;
    uint32_t n, current;
    uint64_t frequency[MOST_CLOCKS];
};
struct old_clocks {
    uint32_t n, current;
    uint64_t frequency[MOST_CLOCKS - 1];
};
