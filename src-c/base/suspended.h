/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/seconds.h"

#include <stdbool.h>

/* Tells if the machine was suspended since a moment: of the kernel's two clocks since the boot, one stands
 * still then and the other does not. Their distance is known by two readings, of which the second one comes
 * later, so it lies on one side of what they show. Async-signal-safe. A machine that is suspended to idle
 * may let both run: then it has switched nothing off. */
struct suspended {
    int64_t most; /* the distance in ns at that moment, or more */
};

static inline void suspended_note(struct suspended *since)
{
    enum { TRIES = 3 }; /* that are interrupted between the readings, or not */
    since->most = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t still = nsec_of(CLOCK_MONOTONIC);
        int64_t distance = (int64_t)(nsec_of(CLOCK_BOOTTIME) - still);
        since->most = distance < since->most ? distance : since->most;
    }
}

static inline bool suspended_since(const struct suspended *since)
{
    uint64_t runs = nsec_of(CLOCK_BOOTTIME);
    return (int64_t)(runs - nsec_of(CLOCK_MONOTONIC)) > since->most;
}
