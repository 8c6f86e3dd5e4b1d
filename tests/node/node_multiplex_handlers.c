/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Multiplexed events, which take turns, in a program that a timer interrupts: its handler reads, and stops
 * and starts the set. An instruction takes a cycle and a nanosecond: no event has more than the nanoseconds
 * of its run.
 *
 * node_multiplex_handlers [ROUNDS]
 */
#include "../interrupted.h"
#include "counted_loop.h"
#include "node_names.h"
#include "node_test.h"

enum { MOST_EVENTS = 14, TURNS = 1000, USEC = 330 };

static int used, n_events;
static int rounds = 4000;
static long long run_nsec;               /* so long runs are at the least */
static volatile long long began;         /* ns, when the set was started last */
static volatile int stops, reads, early; /* early: an event had had no turn */

/* The kernel looks at the time before it counts, or after. */
static void check(int code, const long long *value, long long from, int line)
{
    enum { LATE = 2000 };
    long long most = PAPI_get_real_nsec() - from + LATE;
    early += code == PAPI_ECNFLCT;
    if (code != PAPI_OK && code != PAPI_ECNFLCT)
        wrong(line, code, PAPI_OK);
    for (int i = 0; code == PAPI_OK && i < n_events; i++)
        if (value[i] < 0 || value[i] > most)
            wrong(line, value[i], most);
    reads += code == PAPI_OK;
}

static void read_used(void)
{
    long long value[MOST_EVENTS], from = began;
    int code = PAPI_read(used, value);
    check(code, value, from, __LINE__);
}

/* Stops it all the same where an event had no turn. */
static void restart(void)
{
    long long value[MOST_EVENTS], from = began, now = PAPI_get_real_nsec();
    read_used();
    if (now - from < run_nsec)
        return;
    int code = PAPI_stop(used, value);
    if (code == PAPI_ENOTRUN)
        return;
    check(code, value, from, __LINE__);
    now = PAPI_get_real_nsec();
    code = PAPI_start(used);
    HOLDS(code == PAPI_OK || code == PAPI_EISRUN || code == PAPI_ECNFLCT, code, PAPI_OK);
    began = now;
    stops++;
}

static void run(const char *what, void (*program)(void), void (*handler)(void))
{
    failed_at = signals = stops = reads = early = 0;
    began = PAPI_get_real_nsec();
    NEED(PAPI_start(used));
    in_handler = handler;
    every(USEC);
    for (int i = 0; i < rounds; i++) {
        counted_loop(TURNS);
        program();
    }
    every(0);
    PAPI_stop(used, NULL);
    if (failed_at != 0)
        node_check(0, "%s, line %d: %lld where %lld was possible", what, failed_at, failed_value,
                   failed_bound);
    int restarts = program == restart || handler == restart;
    node_check(signals > 10 && reads > 10 && (!restarts || stops > 2),
               "%s: %d signals, %d stops, %d readings, %d without a turn", what, signals, stops, reads,
               early);
}

static void all_of(int n, long long nsec)
{
    used = PAPI_NULL;
    run_nsec = nsec;
    NEED(PAPI_create_eventset(&used));
    NEED(PAPI_assign_eventset_component(used, 0));
    NEED(PAPI_set_multiplex(used));
    for (n_events = 0; n_events < n; n_events++)
        NEED(PAPI_add_named_event(used, node_names[n_events]));
    run("both read", read_used, read_used);
    run("the handler restarts", read_used, restart);
    run("the program restarts", restart, read_used);
    run("both restart", restart, restart);
    NEED(PAPI_cleanup_eventset(used));
}

/* Restarts as many events as there are counters at every signal, and one more after two turns of the kernel.
 */
int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = atoi(argv[1]);
    setvbuf(stdout, NULL, _IOLBF, 0); /* if it hangs, where */
    node_init();
    NEED(PAPI_multiplex_init());
    all_of(node_counters(), 0);
    all_of(node_counters() + 1, 8000000);
    return node_test_end();
}
