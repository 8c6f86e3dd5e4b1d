/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "double.h"

/* Settings of a test for the library that stands for Level Zero's loader with its tracing layer
 * (double_level_zero.c). The device's clock is CLOCK_MONOTONIC in ticks, from another moment on. */
struct double_ze {
    int init, tracer, devices; /* answers; devices: their number, behind a processor */
    uint64_t hertz, offset;    /* of the clock */
    uint32_t bits;             /* of a kernel's times */
    int old;                   /* the driver describes its clock in nanoseconds alone */
    int append;                /* the driver's answer to work */
    int wrong_calls;           /* of what is not there, or is not asked for so */
    int running, events, pools, enabled;
};

/* Has the work that was submitted first end, of which it is said when it ran (CLOCK_MONOTONIC). */
typedef void double_end(uint64_t begin, uint64_t end);
