/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks that one event more than the processor has counters (arm64: six general ones and that of cycles) is
 * refused when it is added, and the set continues to count.
 */
#include "counted_loop.h"
#include "node_names.h"
#include "node_test.h"

int main(int argc, char **argv)
{
    long long values[NODE_NAMES];
    int es = PAPI_NULL, again = PAPI_NULL, code, codes[NODE_NAMES];
    node_init();
    int n = node_counters(), wanted = argc > 1 ? atoi(argv[1]) : 0;
    node_check(PAPI_num_hwctrs() == wanted, "PAPI_num_hwctrs() = %d", PAPI_num_hwctrs());
    if (!node_check(n > 1 && n + 1 < NODE_NAMES, "%d events fill them", n))
        return 1;
    NEED(PAPI_create_eventset(&es));
    for (int i = 0; i < n; i++) {
        code = PAPI_add_named_event(es, node_names[i]);
        node_check(code == PAPI_OK, "add %s = %d", node_names[i], code);
    }
    for (int i = n; i < n + 2; i++) {
        code = PAPI_add_named_event(es, node_names[i]);
        node_check(code == PAPI_ECNFLCT, "add %s, one too many = %d (%s)", node_names[i], code,
                   PAPI_strerror(code));
    }
    node_check(PAPI_num_events(es) == n, "the set has %d events", PAPI_num_events(es));
    NEED(PAPI_start(es));
    counted_loop(100000);
    NEED(PAPI_stop(es, values));
    node_check(values[0] >= 500000 && values[0] <= 500200, "%s = %lld", node_names[0], values[0]);
    node_check(values[1] >= 500000 && values[1] <= 500200, "%s = %lld", node_names[1], values[1]);

    /* A place that was given up can be taken. */
    NEED(PAPI_remove_named_event(es, node_names[3]));
    code = PAPI_add_named_event(es, node_names[n]);
    node_check(code == PAPI_OK, "add %s in the place of another = %d", node_names[n], code);
    NEED(PAPI_start(es));
    counted_loop(100000);
    NEED(PAPI_stop(es, values));
    node_check(values[1] >= 500000 && values[1] <= 500200, "%s = %lld", node_names[1], values[1]);

    /* The same events again, in one call: how many fitted. */
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_destroy_eventset(&es));
    NEED(PAPI_create_eventset(&again));
    for (int i = 0; i <= n; i++)
        NEED(PAPI_event_name_to_code(node_names[i], &codes[i]));
    CODE(PAPI_add_events(again, codes, n + 1), n);
    return node_test_end();
}
