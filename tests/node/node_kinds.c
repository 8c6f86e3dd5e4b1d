/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A node whose two CPUs have PMUs of their own, as big and little cores have (big_little.sh): presets count
 * on both and add up, wherever the thread is.
 */
#include "counted_loop.h"
#include "node_test.h"

#include <sched.h>
#include <string.h>

enum { TOTAL, CYCLES, LITTLE, BIG, CLOCK, N };

static void go_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    node_check(sched_setaffinity(0, sizeof set, &set) == 0, "on CPU %d", cpu);
}

/* Checks two readings: one kind of core has counted in between, the other has not, and events of all cores
 * have counted once. */
static void check(const long long *from, const long long *to, int kind, int other)
{
    const long long loop = 100000LL * COUNTED_LOOP_LENGTH;
    long long more[N];
    for (int i = 0; i < N; i++)
        more[i] = to[i] - from[i];
    node_check(more[kind] >= loop && more[kind] <= loop + 10000, "the kind that ran: %lld", more[kind]);
    /* Instructions between the readings and the move to the other core */
    node_check(more[other] >= 0 && more[other] <= 10000, "the other: %lld", more[other]);
    node_check(more[TOTAL] == more[LITTLE] + more[BIG], "PAPI_TOT_INS: %lld", more[TOTAL]);
    node_check(more[CYCLES] >= loop && more[CYCLES] <= loop + 10000, "PAPI_TOT_CYC: %lld", more[CYCLES]);
    node_check(more[CLOCK] > 0, "what counts on all cores: %lld ns", more[CLOCK]);
}

static void check_refused(int es, const char *name)
{
    int code = PAPI_add_named_event(es, name);
    node_check(code == PAPI_ENOEVNT && strstr(PAPI_strerror(code), "several kinds of cores") != NULL,
               "add %s = %d (%s)", name, code, PAPI_strerror(code));
}

int main(void)
{
    static const char *const natives[] = {"armv8_cortex_a53/inst_retired/", "armv8_cortex_a72/inst_retired/"};
    long long value[4][N], again[N];
    int es = PAPI_NULL;
    PAPI_event_info_t info;

    node_init();
    NEED(PAPI_get_event_info(PAPI_TOT_INS, &info));
    node_check(info.count == 2 && strcmp(info.derived, "DERIVED_ADD") == 0, "PAPI_TOT_INS: %u natives, %s",
               info.count, info.derived);
    for (int i = 0; i < 2; i++)
        node_check(strcmp(info.name[i], natives[i]) == 0, "%s", info.name[i]);
    NEED(PAPI_create_eventset(&es));
    check_refused(es, "perf::INSTRUCTIONS");
    check_refused(es, "perf::L1-DCACHE-LOADS");
    NEED(PAPI_add_event(es, PAPI_TOT_INS));
    NEED(PAPI_add_event(es, PAPI_TOT_CYC));
    NEED(PAPI_add_named_event(es, natives[0]));
    NEED(PAPI_add_named_event(es, natives[1]));
    NEED(PAPI_add_named_event(es, "perf::TASK-CLOCK"));

    go_to(0);
    NEED(PAPI_start(es));
    NEED(PAPI_read(es, value[0]));
    counted_loop(100000);
    NEED(PAPI_read(es, value[1]));
    go_to(1);
    counted_loop(100000);
    NEED(PAPI_read(es, value[2]));
    go_to(0);
    counted_loop(100000);
    NEED(PAPI_stop(es, value[3]));
    check(value[0], value[1], LITTLE, BIG);
    check(value[1], value[2], BIG, LITTLE);
    check(value[2], value[3], LITTLE, BIG);

    /* A run that is on one kind from the start to the end. */
    go_to(1);
    NEED(PAPI_start(es));
    counted_loop(100000);
    NEED(PAPI_stop(es, again));
    node_check(again[LITTLE] == 0 && again[TOTAL] == again[BIG], "on one kind alone: %lld, %lld",
               again[LITTLE], again[BIG]);
    return node_test_end();
}
