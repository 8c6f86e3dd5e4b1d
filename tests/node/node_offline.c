/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event sets that count a CPU which is switched off: their counters stop without a word of the kernel, for
 * good. Each call that would give counts says so, with what was counted before.
 */
#include "counted_loop.h"
#include "node_cpus.h"
#include "node_names.h"
#include "node_test.h"

#include <string.h>

#define LOOP 1000000
#define INSTRUCTIONS (5LL * LOOP)

static void work_on_cpu_1(void)
{
    run_on(1);
    counted_loop(LOOP);
    run_on(0);
}

static void attach(int es)
{
    PAPI_option_t option = {.cpu = {.eventset = es, .cpu_num = 1}};
    NEED(PAPI_set_opt(PAPI_CPU_ATTACH, &option));
}

static int set_of(const char *const *names, int multiplex)
{
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_assign_eventset_component(es, 0));
    if (multiplex)
        NEED(PAPI_set_multiplex(es));
    attach(es);
    for (; *names; names++)
        NEED(PAPI_add_named_event(es, *names));
    return es;
}

static void lost(int code, const char *what)
{
    const char *text = code < 0 ? PAPI_strerror(code) : "no error";
    node_check(code == PAPI_ECLOST && strstr(text, "CPU 1") != NULL, "%s = %d (%s)", what, code, text);
}
#define LOST(call) lost((call), #call)

static void whole(const char *what, long long value)
{
    node_check(value >= INSTRUCTIONS, "%s: %lld instructions", what, value);
}

/* first: the place of the name that is of instructions. */
static void one_set(const char *what, const char *const *names, int first, int multiplex)
{
    long long values[2] = {-1, -1}, before[2], ticks = -1;
    printf("%s:\n", what);
    int es = set_of(names, multiplex);
    NEED(PAPI_start(es));
    work_on_cpu_1();
    NEED(PAPI_read(es, before));
    whole("on", before[first]);
    switch_cpu(0);
    values[first] = -1;
    LOST(PAPI_read(es, values));
    node_check(values[first] >= before[first], "what was counted before is given: %lld", values[first]);
    LOST(PAPI_read_ts(es, values, &ticks));
    node_check(ticks > 0, "with the time: %lld", ticks);
    values[first] = 0;
    LOST(PAPI_accum(es, values));
    node_check(values[first] >= before[first], "and is added up: %lld", values[first]);
    LOST(PAPI_stop(es, values));
    /* The set's counters are lost, whether the CPU is there or not. */
    NEED(PAPI_start(es));
    LOST(PAPI_read(es, values));
    node_check(values[first] == 0, "nothing is counted any more: %lld", values[first]);
    LOST(PAPI_stop(es, values));
    switch_cpu(1);
    NEED(PAPI_start(es));
    work_on_cpu_1();
    LOST(PAPI_read(es, values));
    LOST(PAPI_stop(es, NULL));
    attach(es);
    NEED(PAPI_start(es));
    work_on_cpu_1();
    NEED(PAPI_read(es, before));
    whole("attached anew", before[first]);
    /* Off and on again between two readings. */
    switch_cpu(0);
    switch_cpu(1);
    work_on_cpu_1();
    LOST(PAPI_read(es, values));
    node_check(values[first] >= before[first], "up to there: %lld", values[first]);
    LOST(PAPI_stop(es, values));
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_destroy_eventset(&es));
}

/* A set of one's own thread is where the thread is. */
static void own_thread(void)
{
    long long value = -1;
    int es = NODE_SET(NODE_INSTRUCTIONS);
    NEED(PAPI_start(es));
    work_on_cpu_1();
    switch_cpu(0);
    NEED(PAPI_read(es, &value));
    whole("the own thread's", value);
    switch_cpu(1);
    NEED(PAPI_stop(es, &value));
}

int main(void)
{
    node_init();
    run_on(0);
    one_set("one event", (const char *const[]){NODE_INSTRUCTIONS, NULL}, 0, 0);
    one_set("two events", (const char *const[]){NODE_INSTRUCTIONS, NODE_CYCLES, NULL}, 0, 0);
    one_set("with one of the kernel's",
            (const char *const[]){NODE_INSTRUCTIONS, "perf::CONTEXT-SWITCHES", NULL}, 0, 0);
    one_set("behind one of the kernel's",
            (const char *const[]){"perf::CONTEXT-SWITCHES", NODE_INSTRUCTIONS, NULL}, 1, 0);
    one_set("one event, multiplexed", (const char *const[]){NODE_INSTRUCTIONS, NULL}, 0, 1);
    one_set("two events, multiplexed", (const char *const[]){NODE_INSTRUCTIONS, NODE_CYCLES, NULL}, 0, 1);
    own_thread();
    return node_test_end();
}
