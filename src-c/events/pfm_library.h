/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_EVENTS_PFM_LIBRARY_H
#define PAPI_EVENTS_PFM_LIBRARY_H

#include <perfmon/pfmlib_perf_event.h>

/* What is used of libpfm4. The shared library loads it with the first question for an event: its tables hold
 * tens of thousands of addresses, which would be relocated in every program that is linked with this library.
 * The archive, which a static program may be made of, is linked with it. */
struct pfm_library {
    __typeof__(pfm_initialize) *initialize;
    __typeof__(pfm_terminate) *terminate;
    __typeof__(pfm_get_version) *get_version;
    __typeof__(pfm_strerror) *strerror;
    __typeof__(pfm_find_event) *find_event;
    __typeof__(pfm_get_event_next) *get_event_next;
    __typeof__(pfm_get_event_info) *get_event_info;
    __typeof__(pfm_get_event_attr_info) *get_event_attr_info;
    __typeof__(pfm_get_pmu_info) *get_pmu_info;
    __typeof__(pfm_get_os_event_encoding) *get_os_event_encoding;
};

/* Stays as long as the process lives. NULL with errno, which passes where it may be had at another time. */
const struct pfm_library *pfm_library_open(void);

#endif
