/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Metrics by name of a loop of known length: five instructions, of which one is a branch. On the node a cycle
 * is an instruction.
 */
#include "counted_loop.h"
#include "node_test.h"

#include <math.h>

#define TURNS 1000000L

/* Checks a metric, exact but for the hundred instructions that there are besides the loop. */
static void check(int es, long long *counts, const char *metric, double wanted)
{
    double value = -1;
    NEED(PAPI_metric(es, metric, counts, 1000000000, &value));
    node_check(fabs(value - wanted) < 1e-4 * wanted, "%s is %.9g, not %.9g", metric, value, wanted);
}

/* The arm64 node's processor counts no branches. */
#if defined(__aarch64__)
#define EVENTS "PAPI_TOT_INS", "PAPI_TOT_CYC"
#else
#define EVENTS "PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_BR_INS"
#endif

int main(void)
{
    long long counts[3] = {0};
    double value = -1;
    node_init();
    int es = NODE_SET(EVENTS);
    NEED(PAPI_start(es));
    counted_loop(TURNS);
    NEED(PAPI_stop(es, counts));
    check(es, counts, "ipc", 1);
    check(es, counts, "cpi", 1);
    check(es, counts, "mips", 1e-6 * COUNTED_LOOP_LENGTH * TURNS);
    if (PAPI_num_events(es) == 3)
        check(es, counts, "branch_share", 100.0 * (double)counts[2] / (double)counts[0]);
    else
        CODE(PAPI_metric(es, "branch_share", counts, 1, &value), PAPI_ENOEVNT);
    CODE(PAPI_metric(es, "branch_mpki", counts, 1, &value), PAPI_ENOEVNT);
    node_check(value == -1, "a value that there is not is %g", value);
    return node_test_end();
}
