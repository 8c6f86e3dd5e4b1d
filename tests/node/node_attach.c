/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hardware counts of another process and of threads: instructions of known work, none of the caller's.
 */
#include "counted_loop.h"
#include "node_names.h"
#include "node_test.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOP 1000000
#define INSTRUCTIONS (5LL * LOOP)
#define THREADS 3

/* The child's calls around a loop. */
static int near(long long got, long long wanted)
{
    return got >= wanted && got < wanted + 20000;
}

static void work(int order, int answer)
{
    char what;
    while (read(order, &what, 1) == 1) {
        counted_loop(LOOP);
        if (write(answer, &what, 1) != 1)
            break;
    }
    _exit(0);
}

static void attached(int multiplex)
{
    long long values[2], last[2];
    int to[2], from[2], es = PAPI_NULL, state = 0;
    char done;
    if (pipe(to) != 0 || pipe(from) != 0)
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        close(to[1]);
        work(to[0], from[1]);
    }
    NEED(PAPI_create_eventset(&es));
    if (multiplex)
        NEED(PAPI_set_multiplex(es));
    NEED(PAPI_add_named_event(es, NODE_INSTRUCTIONS));
    NEED(PAPI_attach(es, (unsigned long)child));
    NEED(PAPI_add_named_event(es, NODE_CYCLES));
    NEED(PAPI_start(es));
    for (int i = 1; i <= 3; i++) {
        counted_loop(LOOP); /* not the child's */
        if (write(to[1], "w", 1) != 1 || read(from[0], &done, 1) != 1)
            exit(1);
        NEED(PAPI_read(es, values));
        node_check(near(values[0], i * INSTRUCTIONS), "%d rounds of the child: %lld instructions", i,
                   values[0]);
    }
    close(to[1]); /* the end of its orders */
    waitpid(child, NULL, 0);
    NEED(PAPI_read(es, values));
    node_check(near(values[0], 3 * INSTRUCTIONS) && near(values[1], 3 * INSTRUCTIONS),
               "after its end: %lld instructions, %lld cycles", values[0], values[1]);
    NEED(PAPI_stop(es, last));
    node_check(last[0] == values[0], "and still: %lld", last[0]);
    NEED(PAPI_state(es, &state));
    node_check((state & PAPI_ATTACHED) == 0, "the state 0x%x says that it has ended", (unsigned)state);
    CODE(PAPI_start(es), PAPI_ECLOST);
    NEED(PAPI_detach(es));
    NEED(PAPI_start(es));
    counted_loop(LOOP);
    NEED(PAPI_stop(es, values));
    node_check(near(values[0], INSTRUCTIONS), "detached, the own: %lld", values[0]);
    NEED(PAPI_cleanup_eventset(es));
    close(to[0]);
    close(from[0]);
    close(from[1]);
}

static void *count(void *unused)
{
    (void)unused;
    counted_loop(LOOP);
    return NULL;
}

static void inherit(int es, int value)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.inherit.eventset = es;
    option.inherit.inherit = value;
    NEED(PAPI_set_opt(PAPI_INHERIT, &option));
}

static void inherited(int multiplex)
{
    long long values[1];
    pthread_t threads[THREADS];
    int es = NODE_SET(NODE_INSTRUCTIONS);
    inherit(es, PAPI_INHERIT_ALL);
    if (multiplex)
        NEED(PAPI_set_multiplex(es));
    for (int round = 0; round < 2; round++) {
        NEED(PAPI_start(es));
        counted_loop(LOOP);
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, count, NULL);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        NEED(PAPI_stop(es, values));
        node_check(values[0] >= (1 + THREADS) * INSTRUCTIONS &&
                       values[0] < (1 + THREADS) * INSTRUCTIONS + 200000,
                   "with %d threads: %lld instructions", THREADS, values[0]);
    }
    NEED(PAPI_cleanup_eventset(es));
}

/* Inherited events are one group as well: more than there are counters are refused when they are added. */
static void inherited_groups_are_full(void)
{
    int es = PAPI_NULL, n = node_counters();
    NEED(PAPI_create_eventset(&es));
    inherit(es, PAPI_INHERIT_ALL);
    for (int i = 0; i < n; i++)
        NEED(PAPI_add_named_event(es, node_names[i]));
    CODE(PAPI_add_named_event(es, node_names[n]), PAPI_ECNFLCT);
    NEED(PAPI_cleanup_eventset(es));
}

/* Sets that inherit are not pinned: a part of a count is an error too. */
static void a_part_is_no_count(void)
{
    long long values[1];
    int es = NODE_SET(NODE_INSTRUCTIONS), holder = PAPI_NULL, n = node_counters();
    inherit(es, PAPI_INHERIT_ALL);
    NEED(PAPI_create_eventset(&holder));
    for (int i = 0; i < n; i++)
        NEED(PAPI_add_named_event(holder, node_names[i]));
    NEED(PAPI_start(es));
    counted_loop(LOOP);
    CODE(PAPI_read(es, values), PAPI_OK);
    node_check(near(values[0], INSTRUCTIONS), "so far it is whole: %lld", values[0]);
    NEED(PAPI_start(holder));
    counted_loop(LOOP);
    CODE(PAPI_read(es, values), PAPI_ECNFLCT);
    NEED(PAPI_stop(holder, NULL));
    counted_loop(LOOP);
    CODE(PAPI_stop(es, values), PAPI_ECNFLCT);
    CODE(PAPI_read(es, values), PAPI_ECNFLCT);
    NEED(PAPI_start(es));
    counted_loop(LOOP);
    CODE(PAPI_stop(es, values), PAPI_OK);
    node_check(near(values[0], INSTRUCTIONS), "and the next is whole: %lld", values[0]);
}

int main(void)
{
    node_init();
    for (int multiplex = 0; multiplex < 2; multiplex++) {
        attached(multiplex);
        inherited(multiplex);
    }
    inherited_groups_are_full();
    a_part_is_no_count();
    return node_test_end();
}
