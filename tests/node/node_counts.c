/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_counts EVENT...: each event, alone and all in one set, counts a loop of known length to
 * within 100 instructions. On the node a cycle is an instruction.
 */
#include "counted_loop.h"
#include "node_test.h"

#define MAX_EVENTS 6
#define SLACK 100

static void check_count(const char *how, const char *name, long long count, long n)
{
    long long extra = count - COUNTED_LOOP_LENGTH * n;

    node_check(extra >= 0 && extra <= SLACK, "%s: %s over %ld iterations: %lld more than the loop's own", how,
               name, n, extra);
}

/* Nothing is printed while the set counts: it would count that too. */
static void check_set(int es, char **names, int n_names, long n)
{
    long long before[MAX_EVENTS], after[MAX_EVENTS], sum[MAX_EVENTS], later[MAX_EVENTS], last[MAX_EVENTS];

    NEED(PAPI_start(es));
    counted_loop(n);
    NEED(PAPI_stop(es, last));
    for (int i = 0; i < n_names; i++)
        check_count("start to stop", names[i], last[i], n);

    for (int i = 0; i < n_names; i++)
        sum[i] = 1000000;
    NEED(PAPI_start(es));
    NEED(PAPI_read(es, before));
    counted_loop(n);
    NEED(PAPI_read(es, after));
    NEED(PAPI_reset(es));
    counted_loop(n);
    NEED(PAPI_accum(es, sum));
    counted_loop(n);
    NEED(PAPI_read(es, later));
    NEED(PAPI_stop(es, last));
    for (int i = 0; i < n_names; i++) {
        check_count("read to read", names[i], after[i] - before[i], n);
        check_count("reset to accum", names[i], sum[i] - 1000000, n);
        check_count("accum to read", names[i], later[i], n);
    }
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_destroy_eventset(&es));
}

int main(int argc, char **argv)
{
    int n_names = argc - 1, es = PAPI_NULL;

    if (n_names < 1 || n_names > MAX_EVENTS)
        return 2;
    node_init();
    for (int i = 1; i <= n_names; i++) {
        CODE(PAPI_query_named_event(argv[i]), PAPI_OK);
        for (long n = 1000; n <= 1000000; n *= 1000)
            check_set(node_set((const char *const[]){argv[i], NULL}), &argv[i], 1, n);
    }
    NEED(PAPI_create_eventset(&es));
    for (int i = 1; i <= n_names; i++)
        NEED(PAPI_add_named_event(es, argv[i]));
    check_set(es, argv + 1, n_names, 1000000);
    return node_test_end();
}
