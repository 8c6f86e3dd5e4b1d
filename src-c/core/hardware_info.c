/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/hardware_info.h"
#include "hardware/clock.h"
#include "hardware/hardware.h"

#include <stdlib.h>

static long long tick_khz_since(struct clock_moment start)
{
    long long khz = atomic_load_explicit(&papi_library.tick_khz, memory_order_relaxed);
    if (khz == 0) {
        khz = clock_tick_khz(start);
        atomic_store_explicit(&papi_library.tick_khz, khz, memory_order_relaxed);
    }
    return khz;
}

long long hardware_tick_khz(void)
{
    long long khz = atomic_load_explicit(&papi_library.tick_khz, memory_order_relaxed);
    return khz != 0 ? khz : tick_khz_since(clock_both());
}

static int describe_hardware(PAPI_hw_info_t *info, struct reason *why)
{
    struct clock_moment start = clock_both(); /* the time that this takes is not waited for again */
    if (hardware_info_fill(papi_library.root, info) != 0)
        return reason_unreadable("the description of the machine", why);
    info->clock_mhz = (int)((tick_khz_since(start) + 500) / 1000);
    if (info->mhz <= 0)
        info->mhz = (float)info->clock_mhz;
    if (info->cpu_max_mhz <= 0)
        info->cpu_max_mhz = info->cpu_min_mhz = info->clock_mhz > 0 ? info->clock_mhz : 1;
    return PAPI_OK;
}

int hardware_info(const PAPI_hw_info_t **info, struct reason *why)
{
    PAPI_hw_info_t *made = papi_library.hardware;
    int code = PAPI_OK;
    if (made == NULL && (made = calloc(1, sizeof *made)) == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    if (papi_library.hardware == NULL)
        code = describe_hardware(made, why);
    if (code == PAPI_OK)
        *info = papi_library.hardware = made;
    else
        free(made);
    return code;
}
