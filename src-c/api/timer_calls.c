/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/hardware_info.h"
#include "core/times.h"

long long PAPI_get_real_cyc(void)
{
    return times_ticks();
}

long long PAPI_get_real_usec(void)
{
    return times_real_usec();
}

long long PAPI_get_real_nsec(void)
{
    return times_real();
}

long long PAPI_get_virt_cyc(void)
{
    /* In pieces: nanoseconds times kHz leaves 64 bits after some days. */
    long long nsec = times_virtual(), khz = hardware_tick_khz();
    return nsec / 1000000 * khz + nsec % 1000000 * khz / 1000000;
}

long long PAPI_get_virt_usec(void)
{
    return times_virtual() / 1000;
}

long long PAPI_get_virt_nsec(void)
{
    return times_virtual();
}
