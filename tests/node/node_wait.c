/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI_start waits (PAPI_WAIT) until the counters, which another process has on every CPU, are free: then the
 * counts are exact. Or it gives up after so long, and says who has them.
 */
#include "counted_loop.h"
#include "node_holder.h"
#include "node_names.h"
#include "node_test.h"
#include "node_worker.h"

#include <string.h>

enum { MILLION = 1000000, HELD_MS = 300 };

static int set_wait(int es, double seconds)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.wait.eventset = es;
    option.wait.seconds = seconds;
    return PAPI_set_opt(PAPI_WAIT, &option);
}

static int waiting(double seconds)
{
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    NEED(set_wait(es, seconds));
    return es;
}

static void add(int es)
{
    for (int i = 0; i < 2; i++)
        CODE(PAPI_add_named_event(es, node_names[i]), PAPI_OK);
}

/* Starts a set while the counters are held for so long, and says how long that took. */
static double start(const char *what, int es, int wanted)
{
    long long begin = PAPI_get_real_nsec();
    int code = PAPI_start(es);
    double seconds = (double)(PAPI_get_real_nsec() - begin) * 1e-9;
    node_check(code == wanted, "%s: PAPI_start = %d after %.3f s", what, code, seconds);
    return seconds;
}

/* Checks a count: this program itself does some thousand in between. */
static void is_exact(long long got, long long wanted, const char *what)
{
    node_check(got >= wanted && got < wanted + 5000, "%s: %lld instructions of %lld", what, got, wanted);
}

static int calls;

static void handler(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
    calls++;
}

/* The calling thread's sets: plain, inherited, of its CPU, with a handler. */
static void own_sets(void)
{
    static const char *const names[] = {"plain", "inherited", "of a CPU", "with a handler"};
    for (int kind = 0; kind < 4; kind++) {
        long long values[2];
        int es = waiting(5);
        if (kind == 1)
            node_inherit(es);
        if (kind == 2)
            node_on_first_cpu(es);
        if (kind == 3) {
            add(es);
            int code;
            NEED(PAPI_event_name_to_code(node_names[0], &code));
            NEED(PAPI_overflow(es, code, MILLION, 0, handler));
        }
        struct holder holder = hold_counters(HELD_MS);
        if (kind != 3)
            add(es);
        double seconds = start(names[kind], es, PAPI_OK);
        node_check(seconds > 0.2 && seconds < 1.5, "which had them until then");
        counted_loop(2 * MILLION);
        CODE(PAPI_stop(es, values), PAPI_OK);
        if (kind < 2)
            is_exact(values[1], 10 * MILLION, names[kind]);
        else
            node_check(values[1] >= 10 * MILLION && values[1] < 13 * MILLION, "%lld instructions", values[1]);
        let_counters_go(&holder);
        node_drop(es);
    }
    node_check(calls >= 9, "%d overflows", calls);
}

/* Events that take turns: those that wait for theirs at the start have counters all the same. */
static void taking_turns(int others)
{
    struct holder holder = {-1};
    int es = waiting(others ? 0.3 : 5);
    NEED(PAPI_set_multiplex(es));
    for (int i = 0; i < NODE_NAMES; i++)
        NEED(PAPI_add_named_event(es, node_names[i]));
    if (others)
        holder = hold_counters(HOLD_ALWAYS);
    double seconds = start("taking turns", es, others ? PAPI_ECNFLCT : PAPI_OK);
    node_check(others ? seconds >= 0.3 && seconds < 2 : seconds < 0.3, "in time");
    if (others)
        let_counters_go(&holder);
    else
        PAPI_stop(es, NULL); /* before all have had their turn */
    node_drop(es);
}

/* A process that does its work when it is let go; it must not begin before it is counted. */
static void another_process(int whole, int flags)
{
    long long values[2];
    struct worker worker = begin_worker(2 * MILLION);
    int es = waiting(5);
    NEED(whole ? PAPI_attach_process(es, worker.pid, flags) : PAPI_attach(es, (unsigned long)worker.pid));
    struct holder holder = hold_counters(HELD_MS);
    add(es);
    double seconds = start(whole ? "a process" : "another thread", es, PAPI_OK);
    node_check(seconds > 0.2 && seconds < 1.5, "which others had until then");
    let_work(&worker);
    CODE(PAPI_stop(es, values), PAPI_OK);
    is_exact(values[1], 10 * MILLION, "another's");
    end_worker(&worker);
    let_counters_go(&holder);
    node_drop(es);
}

/* The limit passes. */
static void in_vain(void)
{
    char who[64];
    long long values[2];
    struct holder holder = hold_counters(HOLD_ALWAYS);
    snprintf(who, sizeof who, "held by %d (node_wait)", (int)holder.pid);
    for (int attached = 0; attached < 2; attached++) {
        pid_t pid = attached ? fork() : 0;
        if (attached && pid == 0) {
            pause();
            _exit(0);
        }
        int es = waiting(0.2);
        if (attached)
            NEED(PAPI_attach(es, (unsigned long)pid));
        add(es);
        double seconds = start("in vain", es, PAPI_ECNFLCT);
        const char *text = PAPI_strerror(PAPI_ECNFLCT);
        node_check(strstr(text, who) != NULL && strstr(text, "PAPI_SHARE") != NULL &&
                       strstr(text, "PAPI_WAIT") != NULL,
                   "%s", text);
        node_check(seconds >= 0.2 && seconds < 1, "in time");
        CODE(PAPI_stop(es, values), PAPI_ENOTRUN);
        CODE(set_wait(es, 0), attached ? PAPI_OK : PAPI_ECNFLCT);
        if (attached)
            kill(pid, SIGKILL);
        if (attached)
            waitpid(pid, NULL, 0);
        node_drop(es);
    }
    let_counters_go(&holder);
}

/* Counts in turns with another: a set starts in its turn. */
static void by_turns(void)
{
    long long values[2];
    struct holder holder = hold_counters(HOLD_IN_TURNS);
    int es = waiting(5), counted = 0, refused = 0, wrong = 0;
    add(es);
    for (int round = 0; round < 20; round++) {
        NEED(PAPI_start(es));
        counted_loop(2 * MILLION);
        int code = PAPI_stop(es, values);
        counted += code == PAPI_OK;
        refused += code == PAPI_ECNFLCT;
        wrong += code == PAPI_OK && (values[1] < 10 * MILLION || values[1] > 10 * MILLION + 2000);
    }
    node_check(wrong == 0 && counted >= 10 && counted + refused == 20,
               "in turns: %d exact, %d refused as the turn ended, %d wrong", counted, refused, wrong);
    let_counters_go(&holder);
    node_drop(es);
}

int main(void)
{
    node_init();
    own_sets();
    taking_turns(0);
    taking_turns(1);
    another_process(0, 0);
    another_process(1, 0);
    another_process(1, PAPI_PROCESS_THREADS);
    in_vain();
    by_turns();
    return node_test_end();
}
