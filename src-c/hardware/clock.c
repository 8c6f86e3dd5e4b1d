/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/clock.h"

long long clock_tick_khz(void)
{
#if defined(__x86_64__)
    const long long span = 2000000; /* ns: an error of 100 ns at the ends is 1 in 20,000 */
    long long start = clock_real_nsec(), ticks = clock_ticks(), now;
    do
        now = clock_real_nsec();
    while (now - start < span);
    ticks = clock_ticks() - ticks;
    return ticks * 1000000 / (now - start);
#else
    return 1000000;
#endif
}
