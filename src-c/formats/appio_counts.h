/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* Definitions that the component and libpapi_appio.so share. */
enum {
#define EVENT(name, description, unit, level) name,
#include "appio_events.def"
#undef EVENT
    APPIO_EVENTS
};

/* The function of libpapi_appio.so that returns what it has counted of an event for the calling thread. Its
 * name changes with the order of the events. */
#define APPIO_FUNCTION "papi_appio_count_1"
uint64_t papi_appio_count_1(int event);
