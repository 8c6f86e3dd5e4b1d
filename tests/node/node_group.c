/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The node has six general counters and the cycle counter. The eighth event of a set is refused
 * when it is added, and the set goes on counting.
 */
#include "counted_loop.h"
#include "node_test.h"

#define N_COUNTERS 7

/* The node implements few events; under different names they take a counter each. */
static const char *const names[] = {
    "arm_n1::CPU_CYCLES",          "arm_n1::INST_RETIRED",       "arm_n1::STALL_FRONTEND",
    "arm_n1::STALL_BACKEND",       "perf::INSTRUCTIONS",         "armv8_pmuv3/inst_retired/",
    "armv8_pmuv3/stall_frontend/", "armv8_pmuv3/stall_backend/", "perf::CYCLES",
};

int main(void)
{
    long long values[N_COUNTERS + 1];
    int es = PAPI_NULL, again = PAPI_NULL, code;

    node_init();
    node_check(PAPI_num_hwctrs() == N_COUNTERS, "PAPI_num_hwctrs() = %d", PAPI_num_hwctrs());
    NEED(PAPI_create_eventset(&es));
    for (int i = 0; i < N_COUNTERS; i++) {
        code = PAPI_add_named_event(es, names[i]);
        node_check(code == PAPI_OK, "add %s = %d", names[i], code);
    }
    for (int i = N_COUNTERS; i < N_COUNTERS + 2; i++) {
        code = PAPI_add_named_event(es, names[i]);
        node_check(code == PAPI_ECNFLCT, "add %s, one too many = %d (%s)", names[i], code,
                   PAPI_strerror(code));
    }
    node_check(PAPI_num_events(es) == N_COUNTERS, "the set has %d events", PAPI_num_events(es));
    NEED(PAPI_start(es));
    counted_loop(100000);
    NEED(PAPI_stop(es, values));
    node_check(values[0] >= 500000 && values[0] <= 500200, "%s = %lld", names[0], values[0]);
    node_check(values[1] >= 500000 && values[1] <= 500200, "%s = %lld", names[1], values[1]);

    /* A place that was given up can be taken. */
    NEED(PAPI_remove_named_event(es, names[3]));
    code = PAPI_add_named_event(es, names[N_COUNTERS]);
    node_check(code == PAPI_OK, "add %s in the place of another = %d", names[N_COUNTERS], code);
    NEED(PAPI_start(es));
    counted_loop(100000);
    NEED(PAPI_stop(es, values));
    node_check(values[1] >= 500000 && values[1] <= 500200, "%s = %lld", names[1], values[1]);

    /* The same events again, in one call: how many fitted. */
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_destroy_eventset(&es));
    NEED(PAPI_create_eventset(&again));
    int codes[N_COUNTERS + 1];
    for (int i = 0; i <= N_COUNTERS; i++)
        NEED(PAPI_event_name_to_code(names[i], &codes[i]));
    CODE(PAPI_add_events(again, codes, N_COUNTERS + 1), N_COUNTERS);
    return node_test_end();
}
