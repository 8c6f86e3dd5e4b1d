/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/machine.h"
#include "hardware/clock.h"

long long PAPI_get_real_cyc(void)
{
    return clock_ticks();
}

long long PAPI_get_real_usec(void)
{
    return clock_real_nsec() / 1000;
}

long long PAPI_get_real_nsec(void)
{
    return clock_real_nsec();
}

long long PAPI_get_virt_cyc(void)
{
    /* In pieces: nanoseconds times kHz leaves 64 bits after some days. */
    long long nsec = clock_virt_nsec(), khz = machine_tick_khz();
    return nsec / 1000000 * khz + nsec % 1000000 * khz / 1000000;
}

long long PAPI_get_virt_usec(void)
{
    return clock_virt_nsec() / 1000;
}

long long PAPI_get_virt_nsec(void)
{
    return clock_virt_nsec();
}
