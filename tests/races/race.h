/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared parts of the programs about races. Each runs some hundred rounds, or as many as RACE_ROUNDS in the
 * environment says.
 */
#pragma once

#include "testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The number of rounds where some are usual; fewer under valgrind or a sanitizer, which make each of them
 * slow. */
int race_rounds(int usual);

/* Skips the test where the event is not counted here. Initialises the library. */
#define NEED_RACE_EVENT()                                                                                    \
    do {                                                                                                     \
        test_init();                                                                                         \
        if (PAPI_query_named_event(race_event()) != PAPI_OK)                                                 \
            SKIP("%s: %s", race_event(), PAPI_strerror(PAPI_ENOEVNT));                                       \
    } while (0)

/* The event that overflows: RACE_EVENT in the environment, or the kernel's clock; and its threshold. */
const char *race_event(void);
int race_threshold(void);

/* A sequence of random numbers for one thread. */
unsigned race_random(unsigned *state, unsigned below);

/* Uses the processor a little, without any call. */
void race_compute(void);

/* Stops a running set. PAPI_ECLOST is as good: under ThreadSanitizer a signal waits for the next call of the
 * C library, and an overflow may be left over at the stop. */
void race_stop(int es, long long *values);

/* The number of mappings of counters that the process has. */
int race_mappings(void);

pthread_t race_start(void *(*run)(void *), void *argument);
void race_join(pthread_t thread);
