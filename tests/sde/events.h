/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared parts of the tests of software-defined events.
 */
#pragma once

#include "testing.h"

#include <string.h>

/* A set of one event. */
static inline int set_of_one(const char *name)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_add_named_event(es, name));
    return es;
}

/* The value of an event that is a level, by a set of its own. */
static inline long long level_of(const char *name)
{
    long long value = -1;
    int es = set_of_one(name);
    OK(PAPI_start(es));
    OK(PAPI_stop(es, &value));
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
    return value;
}

static inline int read_code(int es)
{
    long long value;
    return PAPI_read(es, &value);
}

static inline double real_of(long long bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline int begin(void **state)
{
    (void)state;
    EQUAL(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    PAPI_shutdown();
    return 0;
}

#define IN_LIBRARY(test) cmocka_unit_test_setup_teardown(test, begin, end)
