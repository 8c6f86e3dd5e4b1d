/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fourteen multiplexed events on fewer counters.
 */
#include "counted_loop.h"
#include "node_names.h"
#include "node_test.h"

#include <string.h>

enum { N_EVENTS = 14 };

static int within(long long got, long long wanted, int percent)
{
    return got * 100 >= wanted * (100 - percent) && got * 100 <= wanted * (100 + percent);
}

static int multiplexed(int n)
{
    int es = PAPI_NULL;
    NEED(PAPI_multiplex_init());
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_assign_eventset_component(es, 0));
    NEED(PAPI_set_multiplex(es));
    for (int i = 0; i < n; i++) {
        int code = PAPI_add_named_event(es, node_names[i]);

        node_check(code == PAPI_OK, "add %s = %d", node_names[i], code);
    }
    return es;
}

static void check_all(const long long *values, int n, long long wanted, const char *when)
{
    int near = 0;
    for (int i = 0; i < n; i++) {
        near += within(values[i], wanted, 5);
        if (!within(values[i], wanted, 5))
            printf("        %s = %lld\n", node_names[i], values[i]);
    }
    node_check(near == n, "%s, %d of %d are within 5 %% of %lld", when, near, n, wanted);
}

/* Long enough for the events to have many turns: the kernel changes them every four milliseconds. */
static void many_by_turns(int es)
{
    long long values[N_EVENTS + 1], before[N_EVENTS] = {0}, sums[N_EVENTS + 1] = {0};
    int grew = 1;
    NEED(PAPI_start(es));
    counted_loop(80000000);
    NEED(PAPI_stop(es, values));
    check_all(values, N_EVENTS, 400000000, "at the end");

    /* Read often, the counts only grow; accumulated they are the same. */
    NEED(PAPI_start(es));
    counted_loop(10000000);
    for (int round = 0; round < 20; round++) {
        counted_loop(2000000);
        NEED(PAPI_read(es, values));
        for (int i = 0; i < N_EVENTS; i++) {
            grew = grew && values[i] >= before[i];
            before[i] = values[i];
        }
    }
    node_check(grew, "counts only grow");
    check_all(values, N_EVENTS, 250000000, "read often");
    NEED(PAPI_stop(es, NULL));
    NEED(PAPI_start(es));
    for (int round = 0; round < 5; round++) {
        counted_loop(10000000);
        NEED(PAPI_accum(es, sums));
    }
    NEED(PAPI_stop(es, NULL));
    check_all(sums, N_EVENTS, 250000000, "accumulated");

    /* A preset on a counter that the set has already. */
    NEED(PAPI_add_event(es, PAPI_TOT_INS));
    NEED(PAPI_start(es));
    counted_loop(50000000);
    NEED(PAPI_stop(es, values));
    node_check(within(values[N_EVENTS], 250000000, 5), "PAPI_TOT_INS beside them = %lld", values[N_EVENTS]);
}

/* Multiplexed events that all fit at once are exact: nothing is scaled. */
static void few_are_exact(void)
{
    long long values[2];
    int es = multiplexed(2);
    for (int round = 0; round < 3; round++) {
        NEED(PAPI_start(es));
        counted_loop(10000000);
        NEED(PAPI_stop(es, values));
        node_check(values[0] >= 50000000 && values[0] < 50002000 && values[1] >= 50000000 &&
                       values[1] < 50002000,
                   "two events: %lld cycles, %lld instructions", values[0], values[1]);
    }
    NEED(PAPI_cleanup_eventset(es));
}

/* A plain set with an event on every counter takes the others once it is multiplexed. */
static void converted(void)
{
    long long values[N_EVENTS];
    int es = PAPI_NULL, n = node_counters();
    NEED(PAPI_create_eventset(&es));
    for (int i = 0; i < n; i++)
        NEED(PAPI_add_named_event(es, node_names[i]));
    CODE(PAPI_add_named_event(es, node_names[n]), PAPI_ECNFLCT);
    node_check(strstr(PAPI_strerror(PAPI_ECNFLCT), "PAPI_set_multiplex") != NULL, "and what helps is said");
    NEED(PAPI_set_multiplex(es));
    for (int i = n; i < N_EVENTS; i++)
        CODE(PAPI_add_named_event(es, node_names[i]), PAPI_OK);
    NEED(PAPI_start(es));
    counted_loop(50000000);
    NEED(PAPI_stop(es, values));
    check_all(values, N_EVENTS, 250000000, "converted");
    NEED(PAPI_cleanup_eventset(es));
}

/* Another set, pinned, has all the counters: no turn is an error, and no zero. */
static void no_turn(void)
{
    long long held[N_EVENTS], values[2];
    int es = multiplexed(2), holder = PAPI_NULL, n = node_counters();
    NEED(PAPI_create_eventset(&holder));
    for (int i = 0; i < n; i++)
        NEED(PAPI_add_named_event(holder, node_names[i]));
    NEED(PAPI_start(holder));
    NEED(PAPI_start(es));
    counted_loop(20000000);
    CODE(PAPI_read(es, values), PAPI_ECNFLCT);
    CODE(PAPI_accum(es, values), PAPI_ECNFLCT);
    CODE(PAPI_stop(es, values), PAPI_ECNFLCT);
    CODE(PAPI_read(es, values), PAPI_ECNFLCT);
    NEED(PAPI_stop(holder, held));
    node_check(held[0] >= 100000000 && held[0] < 100100000 && held[1] >= 100000000 && held[1] < 100100000,
               "the other set is whole: %lld, %lld", held[0], held[1]);
    CODE(PAPI_reset(es), PAPI_OK);
    CODE(PAPI_read(es, values), PAPI_OK);
    node_check(values[0] == 0 && values[1] == 0, "reset: %lld, %lld", values[0], values[1]);
    NEED(PAPI_start(es));
    counted_loop(20000000);
    CODE(PAPI_stop(es, values), PAPI_OK);
    node_check(values[1] >= 100000000 && values[1] < 100002000, "with the counters free: %lld", values[1]);

    /* Half of the time: the scaled count is of all of it. */
    NEED(PAPI_start(es));
    counted_loop(20000000);
    NEED(PAPI_start(holder));
    counted_loop(20000000);
    NEED(PAPI_stop(holder, NULL));
    CODE(PAPI_stop(es, values), PAPI_OK);
    node_check(within(values[1], 200000000, 5), "there for half of the time: %lld", values[1]);
}

static void the_turns(void)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    CODE(PAPI_get_opt(PAPI_DEF_MPX_NS, &option), PAPI_OK);
    node_check(option.multiplex.ns >= 1000000 && option.multiplex.ns <= 100000000, "a turn takes %d ns",
               option.multiplex.ns);
}

int main(void)
{
    node_init();
    the_turns();
    many_by_turns(multiplexed(N_EVENTS));
    few_are_exact();
    converted();
    no_turn();
    return node_test_end();
}
