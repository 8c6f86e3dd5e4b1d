/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_counts EVENT...: each event, alone and all in one set, counts a loop of known length exactly, but for
 * what is beside it. On the node a cycle is an instruction.
 *
 * Two measurements see more of the library than that, all of it in user mode: a read without the
 * kernel is itself counted as a whole, and PAPI_accum continues after its read to move the counts.
 * What a count has besides the loop is the way out of one call and into the next, so it is the same
 * for every length.
 */
#include "counted_loop.h"
#include "node_test.h"

#define MAX_EVENTS 6
#define SLACK 130 /* of which twenty or so let a signal handler use the set at any moment */
#define SLACK_USER_READ 150
#define SLACK_ACCUM 160
/* RISC-V and POWER make an address in two instructions, and RISC-V reads a counter in a sequence of its own:
 * there the loop of one turn alone says how many are beside the loop. */
#if defined(__riscv) || defined(__powerpc64__)
#define WITHIN(extra, slack) ((void)(slack), (extra) >= 0)
#else
#define WITHIN(extra, slack) ((extra) >= 0 && (extra) <= (slack))
#endif

/* Counts beside the loop, for each way of measuring. */
enum way { STOPPED, READ, ACCUMULATED, READ_LATER, N_WAYS };
struct beside {
    long long extra[MAX_EVENTS][N_WAYS];
};

static long long check_count(enum way way, const char *name, long long count, long n, long long slack)
{
    static const char *const how[N_WAYS] = {"start to stop", "read to read", "reset to accum",
                                            "accum to read"};
    long long extra = count - COUNTED_LOOP_LENGTH * n;
    node_check(WITHIN(extra, slack), "%s: %s over %ld iterations: %lld more than the loop's own", how[way],
               name, n, extra);
    return extra;
}

/* Checks the counts of a set, and prints nothing while it counts, as that would be counted too. */
static struct beside check_set(int es, char **names, int n_names, long n)
{
    long long before[MAX_EVENTS], after[MAX_EVENTS], sum[MAX_EVENTS], later[MAX_EVENTS], last[MAX_EVENTS];
    const PAPI_component_info_t *component = PAPI_get_component_info(PAPI_get_eventset_component(es));
    int slack = component != NULL && component->fast_counter_read ? SLACK_USER_READ : SLACK;
    struct beside beside;
    NEED(PAPI_start(es));
    counted_loop(n);
    NEED(PAPI_stop(es, last));
    for (int i = 0; i < n_names; i++)
        beside.extra[i][STOPPED] = check_count(STOPPED, names[i], last[i], n, slack);

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
        long long *extra = beside.extra[i];
        extra[READ] = check_count(READ, names[i], after[i] - before[i], n, slack);
        extra[ACCUMULATED] = check_count(ACCUMULATED, names[i], sum[i] - 1000000, n, SLACK_ACCUM);
        extra[READ_LATER] = check_count(READ_LATER, names[i], later[i], n, SLACK_ACCUM);
    }
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_destroy_eventset(&es));
    return beside;
}

static int new_set(char **names, int n_names)
{
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    for (int i = 0; i < n_names; i++)
        NEED(PAPI_add_named_event(es, names[i]));
    return es;
}

/* The first round looks up the routines' addresses; the second is of one turn, nothing but what is beside a
 * loop. */
static void check_lengths(char **names, int n_names)
{
    struct beside beside[3];
    for (int k = 0; k < 3; k++)
        beside[k] = check_set(new_set(names, n_names), names, n_names, (long[]){100, 1, 1000000}[k]);
    for (int i = 0; i < n_names; i++)
        for (int way = 0; way < N_WAYS; way++)
            node_check(beside[1].extra[i][way] == beside[2].extra[i][way],
                       "%s: a loop of any length has the same %lld more", names[i], beside[1].extra[i][way]);
}

int main(int argc, char **argv)
{
    int n_names = argc - 1;
    if (n_names < 1 || n_names > MAX_EVENTS)
        return 2;
    node_init();
    for (int i = 1; i <= n_names; i++) {
        CODE(PAPI_query_named_event(argv[i]), PAPI_OK);
        check_lengths(&argv[i], 1);
    }
    check_lengths(argv + 1, n_names);
    return node_test_end();
}
