/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/pfm_library.h"

const struct pfm_library *pfm_library_open(void)
{
    static const struct pfm_library linked = {
        .initialize = pfm_initialize,
        .terminate = pfm_terminate,
        .get_version = pfm_get_version,
        .strerror = pfm_strerror,
        .find_event = pfm_find_event,
        .get_event_next = pfm_get_event_next,
        .get_event_info = pfm_get_event_info,
        .get_event_attr_info = pfm_get_event_attr_info,
        .get_pmu_info = pfm_get_pmu_info,
        .get_os_event_encoding = pfm_get_os_event_encoding,
    };
    return &linked;
}
