/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks what is outside the cores of a node: no PMU with a file cpumask, so that perf_event_uncore says so,
 * and the PMU msr, which counts a whole CPU in all modes.
 */
#include "counted_loop.h"
#include "node_test.h"

#include <string.h>

#define TSC "msr/tsc/"

static void no_uncore(void)
{
    const PAPI_component_info_t *info =
        PAPI_get_component_info(PAPI_get_component_index("perf_event_uncore"));
    int code;
    node_check(info->disabled == PAPI_ENOSUPP && strstr(info->disabled_reason, "cpumask") != NULL,
               "perf_event_uncore: %d, %s", info->disabled, info->disabled_reason);
    code = PAPI_event_name_to_code("power/energy-pkg/", &code);
    node_check(code == PAPI_ENOEVNT && strstr(PAPI_strerror(code), "no PMU \"power\"") != NULL, "power: %s",
               PAPI_strerror(code));
}

static void no_thread(void)
{
    int es = PAPI_NULL, code;
    NEED(PAPI_create_eventset(&es));
    code = PAPI_add_named_event(es, TSC);
    node_check(code == PAPI_ENOEVNT && strstr(PAPI_strerror(code), "PAPI_CPU_ATTACH") != NULL, TSC ": %s",
               PAPI_strerror(code));
    NEED(PAPI_destroy_eventset(&es));
}

/* Ticks at the clock's own rate: as many as it shows from one moment to another, and those of the calls. */
static void whole_cpu(void)
{
    PAPI_option_t option;
    long long before, after, ticks;
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_assign_eventset_component(es, 0));
    memset(&option, 0, sizeof option);
    option.cpu.eventset = es;
    option.cpu.cpu_num = 0;
    NEED(PAPI_set_opt(PAPI_CPU_ATTACH, &option));
    memset(&option, 0, sizeof option);
    option.domain.eventset = es;
    option.domain.domain = PAPI_DOM_ALL;
    NEED(PAPI_set_opt(PAPI_DOMAIN, &option));
    NEED(PAPI_add_named_event(es, TSC));
    NEED(PAPI_start(es));
    before = PAPI_get_real_nsec();
    counted_loop(1000000);
    after = PAPI_get_real_nsec();
    NEED(PAPI_stop(es, &ticks));
    node_check(after - before >= 1000000 * COUNTED_LOOP_LENGTH, "the loop took %lld ns", after - before);
    node_check(ticks >= after - before && ticks - (after - before) < 100000, TSC ": %lld ticks of 1 ns",
               ticks);
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_destroy_eventset(&es));
}

int main(void)
{
    node_init();
    no_uncore();
    no_thread();
    whole_cpu();
    return node_test_end();
}
