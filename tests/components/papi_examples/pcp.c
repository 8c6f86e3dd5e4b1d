/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pcp as PAPI's users read it: metrics of pmcd with and without instances, in their units; strings are no
 * events.
 */
#include "../pcp_double.h"
#include "example.h"

#include <stdio.h>
#include <string.h>

#define T "pcp:::test."

static struct pcp_double *pcp;

/* Every listed metric can be added to one event set, and read: PAPI's test of the component does it. */
static void all_metrics(int component)
{
    char name[PAPI_2MAX_STR_LEN];
    long long value[64];
    int es = PAPI_NULL, event = PAPI_NATIVE_MASK, n = 0;
    MUST(PAPI_create_eventset(&es));
    MUST(PAPI_assign_eventset_component(es, component));
    for (int code = PAPI_enum_cmp_event(&event, PAPI_ENUM_FIRST, component); code == PAPI_OK;
         code = PAPI_enum_cmp_event(&event, PAPI_ENUM_EVENTS, component), n++) {
        MUST(PAPI_event_code_to_name(event, name));
        MUST(PAPI_add_event(es, event));
    }
    SAME(n, PAPI_get_component_info(component)->num_native_events);
    SAME(n > 5, true);
    int before = pcp->fetches;
    MUST(PAPI_start(es));
    MUST(PAPI_read(es, value));
    MUST(PAPI_stop(es, value));
    SAME(pcp->fetches, before + 3);
    example_print(es, value);
}

static void instances_and_units(void)
{
    PAPI_event_info_t info;
    long long value[4];
    int event, es = example_set(T "cpu:cpu0", T "cpu:a_b", T "u64", T "i32", NULL);
    MUST(PAPI_start(es));
    pcp->cpu[0] += 5;
    pcp->cpu[1] += 60;
    pcp->u64 += 700;
    pcp->i32 = -8;
    MUST(PAPI_read(es, value));
    SAME(value[0], 5);
    SAME(value[1], 60);
    SAME(value[2], 700); /* Kbytes, as the unit says */
    SAME(value[3], -8);
    MUST(PAPI_reset(es));
    MUST(PAPI_stop(es, value));
    SAME(value[0], 0);
    SAME(value[3], -8);
    MUST(PAPI_event_name_to_code(T "u64", &event));
    MUST(PAPI_get_event_info(event, &info));
    SAME(strcmp(info.units, "Kbyte"), 0);
    SAME(info.value_type, PAPI_VALUETYPE_RUNNING_SUM);
}

/* Numbers with a fraction are doubles. */
static void fractions(void)
{
    PAPI_event_info_t info;
    long long value[2];
    double real[2];
    int event, es = example_set(T "real", T "joules", NULL);
    MUST(PAPI_event_name_to_code(T "joules", &event));
    MUST(PAPI_get_event_info(event, &info));
    SAME(info.data_type, PAPI_DATATYPE_FP64);
    pcp->joules = 0.5;
    MUST(PAPI_start(es));
    pcp->joules = 2.75;
    MUST(PAPI_stop(es, value));
    memcpy(real, value, sizeof real);
    SAME(real[0] == 1.5, true);
    SAME(real[1] == 2.25, true);
}

static void wrong_names(void)
{
    example_no_event(T "string"); /* there is such a metric: its values are texts */
    example_no_event(T "aggregate");
    example_no_event(T "cpu"); /* of which instance? */
    example_no_event(T "cpu:cpu9");
    example_no_event(T "cpu:");
    example_no_event(T "u64:cpu0");
    example_no_event("pcp:::test");
    example_no_event("pcp:::proc.nprocs");
}

int main(void)
{
    int events, forms;
    pcp = example_symbol("pcp_double");
    int component = example_begin("pcp");
    example_walk(component, &events, &forms);
    SAME(forms, 0); /* instances are events of their own */
    all_metrics(component);
    instances_and_units();
    fractions();
    wrong_names();
    long long value = 1;
    int es = example_set(T "i64", NULL);
    MUST(PAPI_start(es));
    MUST_BE(PAPI_ECMP, PAPI_write(es, &value));
    MUST(PAPI_stop(es, NULL));
    PAPI_shutdown();
    SAME(pcp->contexts, 0);
    puts("PASSED");
    return 0;
}
