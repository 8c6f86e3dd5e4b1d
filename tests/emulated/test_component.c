/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The emulated component as any other: sets of events, reading, names, what it refuses.
 */
#include "measure.h"
#include "operations_loop.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int component(void)
{
    need_emulator();
    return PAPI_get_component_index("emulated");
}

/* ---- what there is */

static void it_counts_here(void **state)
{
    (void)state;
    const PAPI_component_info_t *info = PAPI_get_component_info(component());
    EQUAL(info->disabled, 0);
    CHECK(PAPI_num_hwctrs() > 0);
    CHECK(PAPI_num_cmp_hwctrs(component()) > 0);
    EQUAL(info->hardware_intr, 1);
    EQUAL(info->available_domains, PAPI_DOM_USER);
    CHECK(info->num_native_events >= 32);
    EQUAL(info->num_cntrs, PAPI_num_cmp_hwctrs(component()));
}

/* Every event has a name with the prefix and says in a sentence what it counts, and each that does not
 * need the caches can be counted. */
static void events_are_listed(void **state)
{
    int code = PAPI_NATIVE_MASK, n = 0, counted = 0, where = component();
    (void)state;
    EQUAL(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, where), PAPI_OK);
    do {
        PAPI_event_info_t info;
        OK(PAPI_get_event_info(code, &info));
        EQUAL(strncmp(info.symbol, "emu::", 5), 0);
        CHECK(strlen(info.long_descr) > 10 && info.long_descr[strlen(info.long_descr) - 1] == '.');
        EQUAL(info.component_index, where);
        counted += PAPI_query_event(code) == PAPI_OK;
        n++;
    } while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, where) == PAPI_OK);
    EQUAL(n, PAPI_get_component_info(where)->num_native_events);
    EQUAL(counted, PAPI_num_cmp_hwctrs(where));
    printf("%d events, of which %d count here\n", n, counted);
}

/* Programs assign each set to component 0 first, for the processor's counters. */
static void component_0_is_the_processor(void **state)
{
    long long value[2] = {0};
    int es = PAPI_NULL, other = PAPI_NULL, emulated = component();
    (void)state;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, 0));
    EQUAL(PAPI_get_eventset_component(es), 0);
    OK(PAPI_set_multiplex(es));
    OK(PAPI_add_event(es, PAPI_TOT_INS));
    OK(PAPI_add_event(es, PAPI_LD_INS));
    EQUAL(PAPI_get_eventset_component(es), emulated);
    OK(PAPI_start(es));
    OK(PAPI_stop(es, value));
    CHECK(value[0] > value[1] && value[1] > 0);
    CODE(PAPI_assign_eventset_component(es, 0), PAPI_EINVAL); /* its counters are there */
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_create_eventset(&other));
    OK(PAPI_assign_eventset_component(other, emulated));
    OK(PAPI_add_event(other, PAPI_TOT_INS));
    OK(PAPI_cleanup_eventset(other));
    OK(PAPI_destroy_eventset(&other));
    OK(PAPI_destroy_eventset(&es));
}

/* Arrays of old programs have room for as many counters as processors had. */
static void counters_of_the_classic_interface(void **state)
{
    (void)state;
    need_emulator();
    EQUAL(PAPI_num_counters(), 8);
    CHECK(PAPI_num_hwctrs() > 8);
}

/* The kernel's own events do not count here, and every call says so with the same words. */
static void the_kernels_events_have_one_reason(void **state)
{
    char first[PAPI_HUGE_STR_LEN];
    int code = 0, es = PAPI_NULL;
    (void)state;
    need_emulator();
    OK(PAPI_create_eventset(&es));
    OK(PAPI_add_event(es, PAPI_TOT_INS));
    int error = PAPI_event_name_to_code("perf::PAGE-FAULTS", &code);
    snprintf(first, sizeof first, "%s", PAPI_strerror(error));
    if (strstr(first, "libpfm") == NULL) { /* as in the arm64 build, whose system has none */
        EQUAL(error, PAPI_ECMP_DISABLED);
        CHECK(strstr(first, "papi_emulate") != NULL && strstr(first, "papi_avail -a") != NULL);
    }
    CODE(PAPI_query_named_event("perf::PAGE-FAULTS"), error);
    EQUAL(strcmp(first, PAPI_strerror(error)), 0);
    CODE(PAPI_add_named_event(es, "perf::PAGE-FAULTS"), error);
    EQUAL(strcmp(first, PAPI_strerror(error)), 0);
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
}

static void names_and_codes(void **state)
{
    int code;
    char name[PAPI_MAX_STR_LEN];
    PAPI_event_info_t info;
    (void)state;
    need_emulator();
    OK(PAPI_event_name_to_code("emu::DP_OPS", &code));
    OK(PAPI_event_code_to_name(code, name));
    EQUAL(strcmp(name, "emu::DP_OPS"), 0);
    OK(PAPI_get_event_info(code, &info));
    CHECK(strstr(info.long_descr, "fused multiply-add") != NULL);
    CODE(PAPI_event_name_to_code("emu::NO_SUCH_EVENT", &code), PAPI_ENOEVNT);
}

/* ---- what it refuses */

static void there_are_no_cycles(void **state)
{
    static const char *const absent[] = {"PAPI_TOT_CYC", "PAPI_RES_STL", "PAPI_BR_MSP", "PAPI_TLB_DM"};
    int es = PAPI_NULL;
    (void)state;
    need_emulator();
    OK(PAPI_create_eventset(&es));
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        CODE(PAPI_query_named_event(absent[i]), PAPI_ENOEVNT);
        CODE(PAPI_add_named_event(es, absent[i]), PAPI_ENOEVNT);
        printf("%s: %s\n", absent[i], PAPI_strerror(PAPI_ENOEVNT));
        CHECK(strstr(PAPI_strerror(PAPI_ENOEVNT), absent[i]) != NULL ||
              strstr(PAPI_strerror(PAPI_ENOEVNT), "emulat") != NULL);
    }
    CODE(PAPI_add_named_event(es, "PAPI_RES_STL"), PAPI_ENOEVNT);
    CHECK(strstr(PAPI_strerror(PAPI_ENOEVNT), "papi_avail -a") != NULL);
    CODE(PAPI_add_named_event(es, "PAPI_TOT_CYC"), PAPI_ENOEVNT);
    CHECK(strstr(PAPI_strerror(PAPI_ENOEVNT), "papi_emulate --cycles=estimate") != NULL);
    test_drop(es);
}

static void caches_only_if_asked_for(void **state)
{
    int es = PAPI_NULL;
    (void)state;
    need_emulator();
    if (PAPI_query_named_event("emu::L1D_READS") == PAPI_OK)
        SKIP("caches are simulated in this run");
    OK(PAPI_create_eventset(&es));
    CODE(PAPI_add_named_event(es, "emu::L1D_READS"), PAPI_ENOEVNT);
    CHECK(strstr(PAPI_strerror(PAPI_ENOEVNT), "--caches") != NULL);
    CODE(PAPI_query_named_event("PAPI_L1_DCM"), PAPI_ENOEVNT);
    test_drop(es);
}

static void only_the_program_is_counted(void **state)
{
    static const int refused[] = {PAPI_DOM_KERNEL, PAPI_DOM_USER | PAPI_DOM_KERNEL};
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        int es = PAPI_NULL;
        PAPI_option_t option = {0};
        OK(PAPI_create_eventset(&es));
        OK(PAPI_assign_eventset_component(es, component()));
        option.domain.eventset = es;
        option.domain.domain = refused[i];
        OK(PAPI_set_opt(PAPI_DOMAIN, &option)); /* there is no event yet to say so */
        CODE(PAPI_add_named_event(es, "emu::DP_OPS"), PAPI_EINVAL_DOM);
        CHECK(strstr(PAPI_strerror(PAPI_EINVAL_DOM), "PAPI_DOM_USER") != NULL);
        option.domain.domain = PAPI_DOM_USER;
        OK(PAPI_set_opt(PAPI_DOMAIN, &option));
        OK(PAPI_add_named_event(es, "emu::DP_OPS"));
        option.domain.domain = refused[i];
        CODE(PAPI_set_opt(PAPI_DOMAIN, &option), PAPI_EINVAL_DOM);
        test_drop(es);
    }
}

/* The component refuses to count another process, a CPU or the threads that the program starts. */
static void only_the_thread_is_counted(void **state)
{
    int es = measure_set((const char *const[]){"PAPI_DP_OPS", NULL});
    PAPI_option_t option = {0};
    long long value;
    (void)state;
    CODE(PAPI_attach(es, (unsigned long)getppid()), PAPI_ECMP);
    CHECK(strstr(PAPI_strerror(PAPI_ECMP), "PAPI_INHERIT") != NULL);
    option.cpu.eventset = es;
    option.cpu.cpu_num = 0;
    CODE(PAPI_set_opt(PAPI_CPU_ATTACH, &option), PAPI_ECMP);
    CHECK(strstr(PAPI_strerror(PAPI_ECMP), "PAPI_INHERIT") != NULL);
    OK(PAPI_start(es));
    operations_loop(10);
    OK(PAPI_stop(es, &value));
    EQUAL(value, 30);
    test_drop(es);
}

/* ---- counting */

/* A program that multiplexes needs no change: nothing has to take turns. */
static void multiplexed_sets_are_exact(void **state)
{
    long long values[2];
    int es = PAPI_NULL;
    (void)state;
    need_emulator();
    OK(PAPI_create_eventset(&es));
    OK(PAPI_set_multiplex(es));
    OK(PAPI_add_named_event(es, "PAPI_DP_OPS"));
    OK(PAPI_add_named_event(es, "PAPI_FML_INS"));
    OK(PAPI_start(es));
    operations_loop(100);
    OK(PAPI_stop(es, values));
    EQUAL(values[0], 300);
    EQUAL(values[1], 100);
    EQUAL(PAPI_get_multiplex(es), 1);
    test_drop(es);
    es = measure_set((const char *const[]){"PAPI_DP_OPS", NULL});
    OK(PAPI_set_multiplex(es));
    OK(PAPI_start(es));
    operations_loop(100);
    OK(PAPI_stop(es, values));
    EQUAL(values[0], 300);
    test_drop(es);
}

static void counts_go_on_until_they_stop(void **state)
{
    int es = measure_set((const char *const[]){"PAPI_DP_OPS", "PAPI_FML_INS", NULL});
    long long values[2], sums[2] = {1000, 2000};
    (void)state;
    OK(PAPI_start(es));
    operations_loop(100);
    OK(PAPI_read(es, values));
    EQUAL(values[0], 300);
    EQUAL(values[1], 100);
    operations_loop(100);
    OK(PAPI_accum(es, sums)); /* adds, and begins from 0 */
    EQUAL(sums[0], 1600);
    EQUAL(sums[1], 2200);
    operations_loop(7);
    OK(PAPI_read(es, values));
    EQUAL(values[0], 21);
    OK(PAPI_reset(es));
    operations_loop(8);
    OK(PAPI_read(es, values));
    EQUAL(values[0], 24);
    values[0] = 1000000;
    values[1] = 5;
    OK(PAPI_write(es, values));
    operations_loop(1);
    OK(PAPI_read(es, values));
    EQUAL(values[0], 1000003);
    EQUAL(values[1], 6);
    OK(PAPI_stop(es, values));
    operations_loop(1000); /* not counted */
    OK(PAPI_read(es, values));
    EQUAL(values[0], 1000003);
    OK(PAPI_start(es)); /* from 0 again */
    operations_loop(2);
    OK(PAPI_stop(es, values));
    EQUAL(values[0], 6);
    EQUAL(values[1], 2);
    test_drop(es);
}

static void two_sets_at_a_time(void **state)
{
    int first = measure_set((const char *const[]){"PAPI_DP_OPS", NULL});
    int second = measure_set((const char *const[]){"emu::FP_MULTIPLY_INSTRUCTIONS", "PAPI_DP_OPS", NULL});
    long long one, two[2];
    (void)state;
    OK(PAPI_start(first));
    operations_loop(10);
    OK(PAPI_start(second));
    operations_loop(100);
    OK(PAPI_stop(first, &one));
    operations_loop(1000);
    OK(PAPI_stop(second, two));
    EQUAL(one, 330);
    EQUAL(two[0], 1100);
    EQUAL(two[1], 3300);
    test_drop(first);
    test_drop(second);
}

static void events_come_and_go(void **state)
{
    int es = measure_set((const char *const[]){"PAPI_TOT_INS", "PAPI_DP_OPS", "PAPI_FML_INS", NULL});
    long long values[3];
    (void)state;
    OK(PAPI_start(es));
    operations_loop(50);
    OK(PAPI_stop(es, values));
    EQUAL(values[1], 150);
    OK(PAPI_remove_named_event(es, "PAPI_TOT_INS"));
    OK(PAPI_add_named_event(es, "PAPI_FAD_INS"));
    OK(PAPI_start(es));
    operations_loop(60);
    OK(PAPI_stop(es, values));
    EQUAL(values[0], 180);
    EQUAL(values[1], 60);
    EQUAL(values[2], 120);
    test_drop(es);
}

/* All of them at once; those that one counter makes and those that are sums. */
static void all_presets_at_once(void **state)
{
    int es = PAPI_NULL, code = PAPI_PRESET_MASK, n = 0;
    long long value[PAPI_MAX_PRESET_EVENTS];
    (void)state;
    need_emulator();
    OK(PAPI_create_eventset(&es));
    OK(PAPI_enum_event(&code, PAPI_ENUM_FIRST));
    do
        if (PAPI_query_event(code) == PAPI_OK) {
            OK(PAPI_add_event(es, code));
            n++;
        }
    while (PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK);
    CHECK(n >= 25);
    OK(PAPI_start(es));
    operations_loop(10);
    OK(PAPI_stop(es, value));
    int codes[PAPI_MAX_PRESET_EVENTS], operations = 0;
    OK(PAPI_list_events(es, codes, &n));
    for (int i = 0; i < n; i++)
        if (codes[i] == PAPI_DP_OPS || codes[i] == PAPI_FP_OPS || codes[i] == PAPI_FP_INS) {
            EQUAL(value[i], 30);
            operations++;
        }
    EQUAL(operations, 3);
    test_drop(es);
}

/* Events of the program's own, made of native events, presets and each other. */
static int define(int kind, const char *symbol, const char *postfix, const char *first, const char *second)
{
    static PAPI_event_info_t info;
    int code = PAPI_NULL;
    memset(&info, 0, sizeof info);
    info.event_code = (unsigned)kind;
    strcpy(info.symbol, symbol);
    strcpy(info.derived, "DERIVED_POSTFIX");
    strcpy(info.postfix, postfix);
    strcpy(info.name[0], first);
    strcpy(info.name[1], second);
    OK(PAPI_set_event_info(&info, &code, 1));
    EQUAL(PAPI_get_event_component(code), component());
    return code;
}

static void defined_events_are_exact(void **state)
{
    (void)state;
    need_emulator();
    define(PAPI_PRESET_MASK, "MY_ADDITIONS", "N0|N1|-|", "PAPI_DP_OPS", "PAPI_FML_INS");
    define(PAPI_UE_MASK, "WEIGHTED", "N0|10|*|N1|100|*|+|", "MY_ADDITIONS", "emu::DP_OPS");
    define(PAPI_UE_MASK, "SHARE", "N0|N1|/|1000|*|", "MY_ADDITIONS", "WEIGHTED");
    int es = measure_set((const char *const[]){"MY_ADDITIONS", "WEIGHTED", "SHARE", "PAPI_FML_INS", NULL});
    long long value[4];
    for (int turns = 1; turns < 1000; turns *= 7) {
        OK(PAPI_start(es));
        operations_loop(turns);
        OK(PAPI_stop(es, value));
        EQUAL(value[0], 2 * turns);
        EQUAL(value[1], 320 * turns);
        EQUAL(value[2], 6); /* 1000 * 2 / 320, cut */
        EQUAL(value[3], turns);
    }
    test_drop(es);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_counts_here),
        cmocka_unit_test(events_are_listed),
        cmocka_unit_test(component_0_is_the_processor),
        cmocka_unit_test(counters_of_the_classic_interface),
        cmocka_unit_test(the_kernels_events_have_one_reason),
        cmocka_unit_test(names_and_codes),
        cmocka_unit_test(there_are_no_cycles),
        cmocka_unit_test(caches_only_if_asked_for),
        cmocka_unit_test(only_the_program_is_counted),
        cmocka_unit_test(only_the_thread_is_counted),
        cmocka_unit_test(multiplexed_sets_are_exact),
        cmocka_unit_test(counts_go_on_until_they_stop),
        cmocka_unit_test(two_sets_at_a_time),
        cmocka_unit_test(events_come_and_go),
        cmocka_unit_test(all_presets_at_once),
        cmocka_unit_test(defined_events_are_exact),
    };
    return TEST_RUN(tests);
}
