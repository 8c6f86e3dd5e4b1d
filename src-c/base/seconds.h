/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include <time.h>

/* The time of a clock of the system, e.g. CLOCK_MONOTONIC, in nanoseconds and in seconds. Async-signal-safe.
 * What PAPI_get_real_nsec and its sisters return is hardware/clock.h's. */

static inline uint64_t nsec_of(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline double seconds_of(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* From a moment that does not move while the machine is up: for durations. */
static inline double seconds_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}
