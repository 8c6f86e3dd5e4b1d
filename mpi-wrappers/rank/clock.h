/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "base/seconds.h"

#include <stdint.h>

/* The clock that calls are timed with: the processor's own where it runs at one rate and in step on all
 * cores, for a few nanoseconds a reading; otherwise the kernel's, in nanoseconds. */
enum clock_source { CLOCK_KERNEL, CLOCK_PROCESSOR };

/* A moment by both clocks. */
struct clock_moment {
    uint64_t ticks, nsec; /* nsec: CLOCK_MONOTONIC_RAW */
};

/* Facts that the processor and the kernel tell about it. */
enum clock_source clock_choose(void);
struct clock_moment clock_moment(void);
/* Ticks in a second, from the time between two moments. */
uint64_t clock_hertz(const struct clock_moment *from, const struct clock_moment *to);
/* Ticks of a time, by the rate that the rank's record has so far. */
uint64_t clock_in_ticks(uint64_t nsec);

static inline uint64_t clock_nsec(void)
{
    return nsec_of(CLOCK_MONOTONIC_RAW);
}

static inline __attribute__((always_inline)) uint64_t clock_ticks_of(enum clock_source source)
{
#if defined(__x86_64__)
    if (likely(source == CLOCK_PROCESSOR))
        return __builtin_ia32_rdtsc(); /* without <x86intrin.h>, 47,000 lines */
#elif defined(__aarch64__)
    if (likely(source == CLOCK_PROCESSOR)) {
        uint64_t ticks;

        __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#else
    (void)source;
#endif
    return clock_nsec();
}
