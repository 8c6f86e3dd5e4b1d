/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Overflows of CPU_CYCLES in a program that a timer interrupts, too: the timer's handler reads, resets, stops
 * and starts the set, and counts with one of its own. A cycle is a nanosecond here, and overflows are exact.
 */
#include "../interrupted.h"
#include "counted_loop.h"
#include "node_test.h"

enum { THRESHOLD = 20000, TURNS = 1000, ROUNDS = 6000, USEC = 130 };

static int used, own;
static volatile int calls;                 /* of the handler of overflows, since the last start */
static volatile long long began;           /* ns, when the set was started last */
static volatile int strays;                /* calls for overflows of the run before */
static volatile int between;               /* stops that came when a call was being made */
static volatile int stops, late, refusals; /* by the timer's handler: late: in a start or stop */

static long long run_nsec(void)
{
    return PAPI_get_real_nsec() - began;
}

/* After so many calls; and a cycle is a nanosecond, of the thread's or of another's. */
static void check(long long value, int called, int line)
{
    long long least = (long long)called * THRESHOLD, most = run_nsec();
    if (value < least || value > most)
        wrong(line, value, value < least ? least : most);
}

/* The address in the library to which on_overflow returns; 0: it was not called yet. */
static volatile uint64_t returns_to;

/* Counts the call by one instruction: a timer that comes in the middle of more would have it count twice. */
static void on_overflow(int es, void *address, long long vector, void *context)
{
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    long long value = -1;
    (void)address, (void)context;
    returns_to = (uint64_t)(uintptr_t)__builtin_return_address(0);
    HOLDS(es == used && vector == 1, vector, 1);
    IS(PAPI_read(es, &value), PAPI_OK);
    strays += value < (long long)calls * THRESHOLD;
}

/* ---- the timer's handler, which may come when the overflows' has been called and has not yet begun */

static void read_used(void)
{
    long long value = -1;
    int called = calls;
    IS(PAPI_read(used, &value), PAPI_OK);
    check(value, called, __LINE__);
}

static void use_own(void)
{
    long long value = -1, from = PAPI_get_real_nsec();
    IS(PAPI_start(own), PAPI_OK);
    counted_loop(TURNS);
    IS(PAPI_stop(own, &value), PAPI_OK);
    HOLDS(value >= TURNS * COUNTED_LOOP_LENGTH && value <= PAPI_get_real_nsec() - from, value, TURNS);
    read_used();
}

static void start_used(void)
{
    long long from = PAPI_get_real_nsec();
    calls = 0;
    int code = PAPI_start(used);
    began = from; /* until then the bound is that of the run before, whose values are shown */
    HOLDS(code == PAPI_OK || code == PAPI_EISRUN || code == PAPI_ECNFLCT, code, PAPI_OK);
    refusals += code == PAPI_ECNFLCT;
}

enum { NEAR = 64 /* bytes: the instructions before the call and the first ones of the handler */ };

/* True if the signal has interrupted the call of on_overflow: the stop comes when the overflow is delivered,
 * and the handler goes on in the next run. */
static int is_between(void)
{
    uint64_t begins = (uint64_t)(uintptr_t)on_overflow;
    return returns_to - interrupted_at <= NEAR || interrupted_at - begins < NEAR;
}

/* Overflows whose delivery the signal has interrupted are lost, and the stop says so. */
static void restart_used(void)
{
    long long value = -1;
    int called = calls, code = PAPI_stop(used, &value);
    if (code == PAPI_ENOTRUN) {
        late++;
        return;
    }
    HOLDS(code == PAPI_OK || code == PAPI_ECLOST, code, PAPI_OK);
    check(value, called, __LINE__);
    stops++;
    between += is_between();
    start_used();
    read_used();
}

/* ---- the program */

static void begin(void (*handler)(void))
{
    failed_at = signals = strays = between = stops = late = refusals = 0;
    in_handler = handler;
    start_used();
    every(USEC);
}

static void end(const char *what)
{
    every(0);
    if (failed_at != 0)
        node_check(0, "%s, line %d: %lld where %lld was expected or possible", what, failed_at, failed_value,
                   failed_bound);
    node_check(signals > 10, "%s: %d signals, %d stops, %d too late, %d starts refused", what, signals, stops,
               late, refusals);
    node_check(strays <= between, "%d calls for overflows of the run before, %d stops while one was made",
               strays, between);
}

/* All cycles are counted, and all overflows delivered. */
static void of_one_run(const char *what, void (*handler)(void))
{
    long long value = -1, before = 0;
    begin(handler);
    for (long i = 1; i <= ROUNDS; i++) {
        counted_loop(TURNS);
        int called = calls;
        IS(PAPI_read(used, &value), PAPI_OK);
        HOLDS(value >= before + TURNS * COUNTED_LOOP_LENGTH, value, before);
        check(value, called, __LINE__);
        before = value;
    }
    end(what);
    CODE(PAPI_stop(used, &value), PAPI_OK);
    node_check(calls == value / THRESHOLD && value >= before, "%d calls in %lld cycles", calls, value);
}

/* Whatever the handler or the program does to the set, the values are those of its last run. */
static void of_many_runs(const char *what, void (*handler)(void))
{
    long long value = -1;
    begin(handler);
    for (int i = 0; i < ROUNDS; i++) {
        counted_loop(TURNS);
        long long from = began;
        IS(PAPI_read(used, &value), PAPI_OK);
        HOLDS(value >= 0 && value <= PAPI_get_real_nsec() - from, value, PAPI_get_real_nsec() - from);
        if (i % 8 == 7) {
            int code = PAPI_stop(used, &value);
            HOLDS(code == PAPI_OK || code == PAPI_ECLOST || code == PAPI_ENOTRUN, code, PAPI_OK);
            start_used();
        }
    }
    end(what);
    int code = PAPI_stop(used, &value);
    node_check(code == PAPI_OK || code == PAPI_ENOTRUN, "the last stop: %d", code);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* if it hangs, where */
    node_init();
    used = NODE_SET("PAPI_TOT_CYC");
    own = NODE_SET("PAPI_TOT_CYC");
    NEED(PAPI_overflow(used, PAPI_TOT_CYC, THRESHOLD, 0, on_overflow));
    of_one_run("the handler reads", read_used);
    of_one_run("the handler counts", use_own);
    of_many_runs("the program restarts", read_used);
    of_many_runs("both restart", restart_used);
    return node_test_end();
}
