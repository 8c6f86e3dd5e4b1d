/* SPDX-License-Identifier: BSD-3-Clause */
#include "counting_handler.h"
#include "../interrupted.h"
#include "testing.h"

#include <sys/resource.h>

static int running, own;
static long long began, by_handler, last;

long long counting_handler_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt + signals;
}

static void read_running(void)
{
    long long value;
    IS(PAPI_read(running, &value), PAPI_OK);
    long long most = counting_handler_faults() - began - by_handler;
    HOLDS(value >= 0 && value <= most, value, most);
    HOLDS(value >= last, value, last);
    last = value;
}

static void accumulate_running(void)
{
    IS(PAPI_accum(running, &by_handler), PAPI_OK);
    last = 0;
    read_running();
}

static void use_own(void)
{
    long long value, from = counting_handler_faults();
    IS(PAPI_start(own), PAPI_OK);
    IS(PAPI_read(own, &value), PAPI_OK);
    HOLDS(value >= 0 && value <= counting_handler_faults() - from, value, 0);
    IS(PAPI_reset(own), PAPI_OK);
    IS(PAPI_stop(own, &value), PAPI_OK);
    HOLDS(value >= 0 && value <= counting_handler_faults() - from, value, 0);
}

/* Rotates through the kinds of calls, in an order in which each kind follows each other one. */
static void count_in_handler(void)
{
    static void (*const kind[])(void) = {read_running, use_own, accumulate_running, use_own, use_own};
    kind[(unsigned)signals % (sizeof kind / sizeof *kind)]();
}

void counting_handler_begin(void)
{
    NEED_SOFTWARE_EVENTS();
    running = test_set(FAULTS, NULL);
    own = test_set(FAULTS, NULL);
    failed_at = signals = 0;
    by_handler = last = 0;
    began = counting_handler_faults();
    OK(PAPI_start(running));
    in_handler = count_in_handler;
    every(100);
}

void counting_handler_end(void)
{
    every(0);
    if (failed_at != 0)
        fail_msg("line %d: %lld where %lld was expected or possible", failed_at, failed_value, failed_bound);
    CHECK(signals > 0);
    test_drop(running);
    test_drop(own);
}
