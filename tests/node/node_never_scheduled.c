/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two event sets that together want more counters than there are: the second one's start or read is
 * an error, never zeroes, and the first one's counts stay whole.
 */
#include "counted_loop.h"
#include "node_names.h"
#include "node_test.h"

static int wants_counters(int code)
{
    return code == PAPI_ECNFLCT;
}

int main(void)
{
    long long first[NODE_NAMES], second[NODE_NAMES];
    int a, b, code;
    node_init();
    int n = node_counters() - 2;
    const char *names[NODE_NAMES + 1] = {NODE_INSTRUCTIONS, NODE_CYCLES};
    for (int i = 2; i < n; i++)
        names[i] = node_names[i];
    a = node_set(names);
    b = NODE_SET(NODE_INSTRUCTIONS, NODE_CYCLES, node_names[2]);

    NEED(PAPI_start(a));
    code = PAPI_start(b);
    if (code == PAPI_OK) {
        code = PAPI_read(b, second);
        node_check(wants_counters(code), "first read of the second set = %d (%s)", code, PAPI_strerror(code));
        counted_loop(20000000); /* long enough for the kernel to take turns, if it were to */
        code = PAPI_read(b, second);
        node_check(wants_counters(code), "later read of the second set = %d (%s)", code, PAPI_strerror(code));
        code = PAPI_accum(b, second);
        node_check(wants_counters(code), "accum of the second set = %d (%s)", code, PAPI_strerror(code));
        code = PAPI_stop(b, second);
        node_check(wants_counters(code), "stop of the second set = %d (%s)", code, PAPI_strerror(code));
    } else {
        node_check(wants_counters(code), "start of the second set = %d (%s)", code, PAPI_strerror(code));
    }
    NEED(PAPI_stop(a, first));

    /* The first set: whole counts while the second one is asked for. */
    NEED(PAPI_start(a));
    code = PAPI_start(b);
    counted_loop(20000000);
    NEED(PAPI_read(a, first));
    node_check(first[0] >= 100000000 && first[0] < 100010000, "the first set counted %lld", first[0]);
    if (code == PAPI_OK)
        PAPI_stop(b, NULL);
    NEED(PAPI_stop(a, NULL));

    /* The second set counts once the counters are free. */
    NEED(PAPI_start(b));
    counted_loop(100000);
    NEED(PAPI_stop(b, second));
    node_check(second[0] >= 500000 && second[0] <= 500200, "alone, the second set counted %lld", second[0]);
    return node_test_end();
}
