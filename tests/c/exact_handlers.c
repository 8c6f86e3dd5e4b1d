/* SPDX-License-Identifier: BSD-3-Clause */
#include "exact_handlers.h"
#include "../interrupted.h"
#include "testing.h"

#include <stdbool.h>
#include <time.h>

static const struct exact_work *exact;
static int used, own;
static volatile long long begun, done; /* calls of the work */
static long long by_program[EXACT_EVENTS], by_handler[EXACT_EVENTS], last[EXACT_EVENTS];

static void work(void)
{
    begun++;
    exact->work();
    done++;
    if (exact->between != NULL)
        exact->between();
}

/* ---- handlers */

/* Reads a set that nobody resets: all counts are there, and at most one call is under way. */
static void read_all(void)
{
    long long value[EXACT_EVENTS], least = done;
    IS(PAPI_read(used, value), PAPI_OK);
    HOLDS(value[0] >= least * exact->each[0], value[0], least * exact->each[0]);
    HOLDS(value[0] <= begun * exact->each[0], value[0], begun * exact->each[0]);
    for (int i = 1; i < EXACT_EVENTS; i++) {
        HOLDS(value[i] >= last[i], value[i], last[i]);
        HOLDS(value[i] >= least * exact->each[i], value[i], least * exact->each[i]);
        last[i] = value[i];
    }
}

/* Counts the handler's own work, which causes none of the first event. */
static void use_own(void)
{
    long long value[EXACT_EVENTS], before;
    IS(PAPI_start(own), PAPI_OK);
    IS(PAPI_read(own, value), PAPI_OK);
    before = value[1];
    HOLDS(value[0] == 0 && value[1] >= 0, value[0], 0);
    IS(PAPI_read(own, value), PAPI_OK);
    HOLDS(value[1] >= before, value[1], before);
    IS(PAPI_reset(own), PAPI_OK);
    IS(PAPI_stop(own, value), PAPI_OK);
    HOLDS(value[0] == 0 && value[1] >= 0, value[0], 0);
}

static void use_both(void)
{
    use_own();
    read_all();
}

/* PAPI_ECNFLCT: it has interrupted the program's own. */
static void accumulate(void)
{
    int code = PAPI_accum(used, by_handler);
    HOLDS(code == PAPI_OK || code == PAPI_ECNFLCT, code, PAPI_OK);
}

/* The program only reads. What the last start has is with the next stop. */
static void stop_and_start(void)
{
    long long value[EXACT_EVENTS];
    IS(PAPI_stop(used, value), PAPI_OK);
    for (int i = 0; i < EXACT_EVENTS; i++) {
        HOLDS(value[i] >= 0, value[i], 0);
        by_handler[i] += value[i];
    }
    IS(PAPI_start(used), PAPI_OK);
}

static void reset(void)
{
    long long value[EXACT_EVENTS];
    IS(PAPI_reset(used), PAPI_OK);
    IS(PAPI_read(used, value), PAPI_OK);
    HOLDS(value[0] == 0, value[0], 0);
}

/* Reads a set that the program starts for one call at a time, or has stopped. */
static void read_one(void)
{
    long long value[EXACT_EVENTS];
    IS(PAPI_read(used, value), PAPI_OK);
    HOLDS(value[0] >= 0 && value[0] <= exact->each[0], value[0], exact->each[0]);
}

/* ---- the program */

static void reads(void)
{
    long long value[EXACT_EVENTS];
    IS(PAPI_read(used, value), PAPI_OK);
    HOLDS(value[0] == done * exact->each[0], value[0], done * exact->each[0]);
}

static void reads_part(void)
{
    long long value[EXACT_EVENTS];
    IS(PAPI_read(used, value), PAPI_OK);
    HOLDS(value[0] >= 0 && value[0] <= done * exact->each[0], value[0], done * exact->each[0]);
}

static void accumulates(void)
{
    IS(PAPI_accum(used, by_program), PAPI_OK);
}

static void switches(void)
{
    long long value[EXACT_EVENTS];
    IS(PAPI_stop(used, value), PAPI_OK);
    HOLDS(value[0] == exact->each[0], value[0], exact->each[0]);
    IS(PAPI_start(used), PAPI_OK);
}

/* ---- runs */

static int make_set(void)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    for (int i = 0; i < EXACT_EVENTS; i++)
        OK(PAPI_add_named_event(es, exact->event[i]));
    return es;
}

static bool is_over(const struct timespec *from)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - from->tv_sec) * 1000 + (now.tv_nsec - from->tv_nsec) / 1000000 >= exact->run_ms;
}

static void repeat(void (*program)(void), void (*handler)(void))
{
    struct timespec from;
    clock_gettime(CLOCK_MONOTONIC, &from);
    in_handler = handler;
    signals = 0;
    every(exact->interval);
    do {
        work();
        program();
    } while (failed_at == 0 && !is_over(&from));
    every(0);
}

/* The program's and the handlers' sums, and what was counted last, are all that was done. */
static void check_sums(void)
{
    long long value[EXACT_EVENTS];
    OK(PAPI_read(used, value));
    EQUAL(value[0] + by_program[0] + by_handler[0], done * exact->each[0]);
    for (int i = 1; i < EXACT_EVENTS; i++)
        CHECK(value[i] + by_program[i] + by_handler[i] >= done * exact->each[i]);
}

static void check_afterwards(void)
{
    long long value[EXACT_EVENTS];
    OK(PAPI_stop(used, value));
    OK(PAPI_start(used));
    exact->work();
    OK(PAPI_stop(used, value));
    EQUAL(value[0], exact->each[0]);
}

static void run(void (*program)(void), void (*handler)(void), void (*check)(void))
{
    used = make_set();
    own = make_set();
    begun = done = 0;
    for (int i = 0; i < EXACT_EVENTS; i++)
        by_program[i] = by_handler[i] = last[i] = 0;
    OK(PAPI_start(used));
    repeat(program, handler);
    if (failed_at != 0)
        fail_msg("line %d: %lld where %lld was expected or possible", failed_at, failed_value, failed_bound);
    print_message("%d signals, %lld calls\n", signals, done);
    CHECK(signals > 0);
    if (check != NULL)
        check();
    check_afterwards();
    test_drop(used);
    test_drop(own);
}

void exact_handlers(const struct exact_work *of)
{
    exact = of;
    run(reads, read_all, check_sums);
    run(reads, use_both, check_sums);
    run(accumulates, use_own, check_sums);
    run(accumulates, accumulate, check_sums);
    run(reads_part, stop_and_start, check_sums);
    run(reads_part, reset, NULL);
    run(switches, read_one, NULL);
    run(switches, use_own, NULL);
}
