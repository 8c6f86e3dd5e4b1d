/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* Allocations of a program whose accesses are sampled, as its preloaded library notes them in a file: records
 * that begin and end as the kernel's do, so that they are put in order with those. */

/* Set by papi_profile for the program: the file's path. */
#define ALLOCATIONS_VARIABLE "PAPI_DATA_ALLOCATIONS"

enum { ALLOCATION_MADE = 0x70610001, ALLOCATION_FREED };

struct allocation_record {
    uint32_t type;
    uint16_t misc, size; /* of the record */
    uint32_t pid, tid;
    uint64_t address, bytes, caller; /* caller: the address behind the call; both 0 of one that is freed */
    uint32_t same_pid, same_tid;
    uint64_t time; /* ns of CLOCK_MONOTONIC */
    uint64_t id;   /* 0 */
};
