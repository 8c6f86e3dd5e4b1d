/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_counts EVENT...: each event, alone and all in one set, counts a loop of known length to
 * within 100 instructions. On the node a cycle is an instruction.
 *
 * Two measurements see more of the library than that, all of it in user mode: a read without the
 * kernel is itself counted as a whole, and PAPI_accum continues after its read to move the counts.
 * What a count has besides the loop is the way out of one call and into the next, so it is the same
 * for every length.
 */
#include "counted_loop.h"
#include "node_test.h"

#define MAX_EVENTS 6
/* RISC-V makes an address in two instructions, and reads a counter in a restartable sequence. */
#if defined(__riscv)
#define LONGER 20
#else
#define LONGER 0
#endif
#define SLACK (130 + LONGER) /* of which twenty or so let a signal handler use the set at any moment */
#define SLACK_USER_READ (150 + 4 * LONGER)
#define SLACK_ACCUM (160 + LONGER)

static long long check_count(const char *how, const char *name, long long count, long n, long long slack)
{
    long long extra = count - COUNTED_LOOP_LENGTH * n;
    node_check(extra >= 0 && extra <= slack, "%s: %s over %ld iterations: %lld more than the loop's own", how,
               name, n, extra);
    return extra;
}

/* Checks the counts of a set, and prints nothing while it counts, as that would be counted too. Returns what
 * start to stop counted besides the loop. */
static long long check_set(int es, char **names, int n_names, long n)
{
    long long before[MAX_EVENTS], after[MAX_EVENTS], sum[MAX_EVENTS], later[MAX_EVENTS], last[MAX_EVENTS];
    const PAPI_component_info_t *component = PAPI_get_component_info(PAPI_get_eventset_component(es));
    int user_reads = component != NULL && component->fast_counter_read;
    NEED(PAPI_start(es));
    counted_loop(n);
    NEED(PAPI_stop(es, last));
    long long extra = 0;
    for (int i = 0; i < n_names; i++)
        extra = check_count("start to stop", names[i], last[i], n, user_reads ? SLACK_USER_READ : SLACK);

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
        check_count("read to read", names[i], after[i] - before[i], n, user_reads ? SLACK_USER_READ : SLACK);
        check_count("reset to accum", names[i], sum[i] - 1000000, n, SLACK_ACCUM);
        check_count("accum to read", names[i], later[i], n, SLACK_ACCUM);
    }
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_destroy_eventset(&es));
    return extra;
}

int main(int argc, char **argv)
{
    int n_names = argc - 1, es = PAPI_NULL;
    if (n_names < 1 || n_names > MAX_EVENTS)
        return 2;
    node_init();
    for (int i = 1; i <= n_names; i++) {
        CODE(PAPI_query_named_event(argv[i]), PAPI_OK);
        long long extra[3];
        for (int k = 0; k < 3; k++)
            extra[k] = check_set(node_set((const char *const[]){argv[i], NULL}), &argv[i], 1,
                                 (long[]){100, 1000, 1000000}[k]);
        /* The first round looks up the routines' addresses. */
        node_check(extra[1] == extra[2], "a loop of any length has the same %lld more", extra[2]);
    }
    NEED(PAPI_create_eventset(&es));
    for (int i = 1; i <= n_names; i++)
        NEED(PAPI_add_named_event(es, argv[i]));
    check_set(es, argv + 1, n_names, 1000000);
    return node_test_end();
}
