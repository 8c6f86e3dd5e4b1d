/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine that was suspended, as its clocks tell: for programs that link with libpapi.so, whose calls of
 * clock_gettime come here first.
 */
#pragma once

/* Time in ns that CLOCK_BOOTTIME is ahead of the machine's own, and CLOCK_MONOTONIC is not. */
extern long long made_clock_suspended;
