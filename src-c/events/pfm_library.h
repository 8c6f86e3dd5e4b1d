/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <perfmon/pfmlib_perf_event.h>

/* Functions of libpfm4 that are used. The shared library loads libpfm4 with the first question for an event:
 * its tables hold tens of thousands of addresses, which would be relocated in every program that is linked
 * with this library. The archive, which a static program may be made of, is linked with it. */
#define PFM_FUNCTIONS(FUNCTION)                                                                              \
    FUNCTION(initialize)                                                                                     \
    FUNCTION(terminate)                                                                                      \
    FUNCTION(get_version)                                                                                    \
    FUNCTION(strerror)                                                                                       \
    FUNCTION(find_event)                                                                                     \
    FUNCTION(get_event_next)                                                                                 \
    FUNCTION(get_event_info)                                                                                 \
    FUNCTION(get_event_attr_info)                                                                            \
    FUNCTION(get_pmu_info)                                                                                   \
    FUNCTION(get_os_event_encoding)

struct pfm_library {
#define PFM_MEMBER(name) __typeof__(pfm_##name) *name;
    PFM_FUNCTIONS(PFM_MEMBER)
};

/* Stays as long as the process lives. NULL with errno, which passes where it may be had at another time. */
const struct pfm_library *pfm_library_open(void);
