/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that a test sets in the libraries that stand for CUDA's driver (cuda_double.c) and for CUPTI
 * (cupti_double.c), and what these saw.
 */
#pragma once

#include <stdint.h>

enum { DOUBLE_DEVICES = 2, DOUBLE_UNITS = 2, DOUBLE_CONTEXTS = 16 };

/* Counters that each unit of a device has. */
enum { CYCLES, INSTRUCTIONS, DFMA, BYTES, LINK_BYTES, HITS, LOOKUPS, DOUBLE_COUNTERS };

struct double_context {
    int device;
    uint64_t count[DOUBLE_COUNTERS][DOUBLE_UNITS];
};

struct cuda_double {
    /* set by tests: answers of calls, and what there is */
    int init_result, count;
    int chip_result[DOUBLE_DEVICES], initialize_result, availability_result, enable_result, start_result;
    int level[6]; /* of cuptiProfilerDeviceSupported: architecture to wsl */
    int dropped, not_submitted, no_number;
    /* seen */
    int started, misused, at_work, within;
    int hosts, sessions, retained, synchronized;
    int loaded;                                     /* of host objects that were made */
    struct double_context context[DOUBLE_CONTEXTS]; /* the first ones are the primary ones */
    int n_contexts;
};

/* Functions that tests find by these names: a false kernel, which runs in the calling thread's context, or in
 * a device's primary one; and a new context, which becomes the calling thread's. */
typedef void double_kernel(uint64_t n);
typedef void double_primary_kernel(int device, uint64_t n);
typedef void *double_new_context(int device);
