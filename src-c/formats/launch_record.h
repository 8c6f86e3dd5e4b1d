/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/device_activity.h"

#include <stdint.h>

/* Work that devices did for a process and the calls that launched it, as libpapi_launches.so notes them in a
 * file of the process: records that begin and end as the kernel's do, so that they are put in order with
 * those. */

/* Set by papi_profile for the program: the folder of the files. */
#define LAUNCHES_VARIABLE "PAPI_DEVICE_LAUNCHES"

/* By these the driver of NVIDIA's devices and AMD's rocprofiler-sdk know what to load into a program before
 * they start: one library, and libraries between colons. */
#define INJECTION_VARIABLE "CUDA_INJECTION64_PATH"
#define TOOLS_VARIABLE "ROCP_TOOL_LIBRARIES"

/* By this the loader of Level Zero, for Intel's devices, takes its tracing layer. */
#define TRACING_VARIABLE "ZE_ENABLE_TRACING_LAYER"

/* The call of libpapi_level_zero.so, which such a program preloads, into libpapi_launches.so beside it. */
#define LAUNCHES_LIBRARY "libpapi_launches.so"
#define LAUNCHES_OF_LEVEL_ZERO "papi_launches_of_level_zero"
typedef void launches_function(void);
launches_function papi_launches_of_level_zero;

enum {
    LAUNCH_STACK = 0x70620001, /* where something was launched, before all work of it */
    LAUNCH_WORK,               /* sums of work of one kind, since the last record of the same */
    LAUNCH_DEVICE,
    LAUNCH_END,     /* the last one: all that the process had */
    LAUNCH_REFUSED, /* nothing is recorded of a vendor's devices, or of all */
    LAUNCH_BEGUN,   /* the devices of a vendor are recorded */
};

enum {
    LAUNCH_CALLS = 128,       /* of a stack; deeper ones lack their outer part */
    LAUNCH_NAME_SIZE = 32768, /* with its end; longer names are cut */
    LAUNCH_TEXT = 256,
    LAUNCH_NOWHERE = -1, /* stack of work of which nobody saw the call */
};

struct launch_head {
    uint32_t type;
    uint16_t file, size; /* file: free for the reader; size: of the record with its tail */
    uint32_t pid, tid;
};

struct launch_tail {
    uint32_t pid, tid;
    uint64_t time; /* ns of CLOCK_MONOTONIC */
    uint64_t id;   /* 0 */
};

struct launch_stack {
    struct launch_head head;
    int32_t stack; /* its number, from 0 on, in this process */
    uint32_t n;
    uint64_t address[]; /* behind the calls, from the inside out */
};

struct launch_work {
    struct launch_head head;
    int32_t stack, device,
        kind; /* stack: or LAUNCH_NOWHERE; device: its place; kind: enum device_work_kind */
    uint32_t unused;
    uint64_t times, ns, least, most, bytes; /* least, most: ns of one */
    char name[];                            /* as the linker has it; filled with zeroes */
};

struct launch_device {
    struct launch_head head;
    int32_t device, number; /* number: as its vendor's runtime numbers it in the process */
    char name[ACTIVITY_NAME], address[ACTIVITY_ADDRESS];
};

struct launch_end {
    struct launch_head head;
    uint64_t dropped, unfinished; /* pieces of work */
};

struct launch_begun {
    struct launch_head head;
    uint32_t vendor, unused; /* enum activity_vendor_number */
};

struct launch_refused {
    struct launch_head head;
    uint32_t whole, unused; /* whole: what the file says of work is not to be used, either */
    char text[LAUNCH_TEXT];
};
