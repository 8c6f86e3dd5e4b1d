/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component topdown, on machines whose slots are page faults (made_slots.h).
 */
#include "made_machine.h"
#include "made_slots.h"
#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RETIRING "topdown:::TOPDOWN_RETIRING_PERC"
#define BAD_SPEC "topdown:::TOPDOWN_BAD_SPEC_PERC"
#define FE_BOUND "topdown:::TOPDOWN_FE_BOUND_PERC"
#define BE_BOUND "topdown:::TOPDOWN_BE_BOUND_PERC"

enum { PAGES = 400 };

static int clean_up(void **state)
{
    (void)state;
    PAPI_shutdown();
    return made_slots_end();
}

static int skylake(void **state)
{
    (void)state;
    PAPI_shutdown();
    if (made_slots_skylake() != 0)
        return -1;
    test_init();
    return 0;
}

/* A machine as from Ice Lake on, where the processor counts the shares. */
static int icelake(void **state)
{
    static const char *const parts[] = {"retiring",  "bad-spec",      "fe-bound",  "be-bound",
                                        "heavy-ops", "br-mispredict", "fetch-lat", "mem-bound"};
    (void)state;
    PAPI_shutdown();
    if (made_slots_begin() != 0)
        return -1;
    made_machine_put_pmu("core", CORES, "0-1\n");
    made_slots_put("core", "slots", IN_ALL);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char name[64];
        snprintf(name, sizeof name, "topdown-%s", parts[i]);
        made_slots_put("core", name, i == 0 ? IN_USER_MODE : NONE);
    }
    test_init();
    return 0;
}

static int component(void)
{
    return PAPI_get_component_index("topdown");
}

static void need_kernel_mode(void)
{
    PAPI_option_t option = {0};
    NEED_SOFTWARE_EVENTS();
    int es = test_set(FAULTS, NULL);
    option.domain.eventset = es;
    option.domain.domain = PAPI_DOM_ALL;
    if (PAPI_set_opt(PAPI_DOMAIN, &option) != PAPI_OK)
        SKIP("what happens in the kernel may not be counted here");
    test_drop(es);
}

/* Page faults in the kernel: it fills fresh pages. */
static void fault_in_kernel(int n)
{
    size_t size = (size_t)n * (size_t)sysconf(_SC_PAGESIZE);
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int zeroes = open("/dev/zero", O_RDONLY);
    CHECK(pages != MAP_FAILED && zeroes >= 0);
    madvise(pages, size, MADV_NOHUGEPAGE);
    CHECK(read(zeroes, pages, size) == (ssize_t)size);
    close(zeroes);
    munmap(pages, size);
}

static double real(long long value)
{
    double number;
    memcpy(&number, &value, sizeof number);
    return number;
}

static void about(long long value, double wanted, const char *what)
{
    if (!(fabs(real(value) - wanted) < 1.5))
        fail_msg("%s: %g, not about %g", what, real(value), wanted);
}

/* ---- names */

static int listed(void)
{
    int code = PAPI_NATIVE_MASK, n = 0;
    for (int e = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component()); e == PAPI_OK;
         e = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component()))
        n++;
    EQUAL(PAPI_get_component_info(component())->num_native_events, n);
    return n;
}

static void what_a_share_is(void **state)
{
    PAPI_event_info_t info;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    EQUAL(listed(), 4);
    EQUAL(PAPI_get_component_info(component())->disabled, 0);
    EQUAL(PAPI_get_event_component(test_code_of(BAD_SPEC)), component());
    OK(PAPI_get_event_info(test_code_of(BAD_SPEC), &info));
    assert_string_equal(info.symbol, BAD_SPEC);
    assert_string_equal(info.units, "percent");
    EQUAL(info.component_index, component());
    EQUAL(info.data_type, PAPI_DATATYPE_FP64);
    EQUAL(info.value_type, PAPI_VALUETYPE_ABSOLUTE);
    EQUAL(info.timescope, PAPI_TIMESCOPE_SINCE_START);
    EQUAL(info.location, PAPI_LOCATION_CORE);
    EQUAL(info.count, 4);
    assert_string_equal(info.name[0], "core/topdown-total-slots/");
    assert_string_equal(info.name[3], "core/topdown-recovery-bubbles/");
    assert_string_equal(info.derived, "DERIVED_POSTFIX");
    assert_string_equal(info.postfix, "N1|1|*|N2|1|*|-|N3|2|*|+|100|*|N0|4|*|/");
    EQUAL(PAPI_event_name_to_code("topdown:::TOPDOWN_HEAVY_OPS_PERC", &(int){0}), PAPI_ENOEVNT);
}

static void those_of_icelake(void **state)
{
    PAPI_event_info_t info;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    EQUAL(listed(), 8);
    OK(PAPI_get_event_info(test_code_of("topdown:::TOPDOWN_MEM_BOUND_PERC"), &info));
    EQUAL(info.count, 2);
    assert_string_equal(info.name[0], "core/slots/");
    assert_string_equal(info.name[1], "core/topdown-mem-bound/");
}

/* ---- counts */

static void shares_of_all(void **state)
{
    long long value[4];
    (void)state;
    need_kernel_mode();
    int es = test_set(RETIRING, BAD_SPEC, FE_BOUND, BE_BOUND, NULL);
    EQUAL(PAPI_get_eventset_component(es), component());
    OK(PAPI_read(es, value));
    CHECK(isnan(real(value[0])) && isnan(real(value[3])));
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_read(es, value));
    about(value[0], 25, "retiring");
    about(value[1], 50, "bad speculation");
    about(value[2], 0, "front end");
    about(value[3], 25, "back end");
    CHECK(fabs(real(value[0]) + real(value[1]) + real(value[2]) + real(value[3]) - 100) < 1e-9);
    OK(PAPI_stop(es, value));
    test_touch_pages(PAGES);
    about(value[0], 25, "retiring at the stop");
    long long stopped[4];
    OK(PAPI_read(es, stopped));
    EQUAL(memcmp(stopped, value, sizeof value), 0);
    test_drop(es);
}

/* Slots from before the start or the reset have no part in the shares. */
static void since_start_or_reset(void **state)
{
    long long value;
    (void)state;
    need_kernel_mode();
    int es = test_set(RETIRING, NULL);
    fault_in_kernel(PAGES);
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_read(es, &value));
    about(value, 25, "before the reset");
    fault_in_kernel(PAGES);
    OK(PAPI_read(es, &value));
    about(value, 12.5, "of both");
    OK(PAPI_reset(es));
    fault_in_kernel(PAGES);
    OK(PAPI_read(es, &value));
    about(value, 0, "after the reset");
    OK(PAPI_stop(es, NULL));
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, &value));
    about(value, 25, "of the second run");
    OK(PAPI_reset(es));
    OK(PAPI_read(es, &value));
    CHECK(isnan(real(value)));
    test_drop(es);
}

static void an_event_leaves(void **state)
{
    long long value[2];
    (void)state;
    need_kernel_mode();
    int es = test_set(BE_BOUND, RETIRING, BAD_SPEC, NULL);
    OK(PAPI_remove_named_event(es, BE_BOUND));
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, value));
    about(value[0], 25, "retiring");
    about(value[1], 50, "bad speculation");
    test_drop(es);
}

/* The kernel takes parts of the slots into no group that another event leads. */
static void slots_lead(void **state)
{
    long long value[2];
    (void)state;
    need_kernel_mode();
    made_slots_n = 0;
    int es = test_set(RETIRING, "topdown:::TOPDOWN_HEAVY_OPS_PERC", NULL);
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, value));
    about(value[0], 100, "retiring");
    EQUAL(real(value[1]), 0);
    int es2 = PAPI_NULL;
    made_slots_n = 0;
    OK(PAPI_create_eventset(&es2));
    OK(PAPI_add_named_event(es2, RETIRING));
    EQUAL(made_slots_opened[made_slots_n - 2], IN_ALL);
    EQUAL(made_slots_opened[made_slots_n - 1], IN_USER_MODE);
    test_drop(es);
    test_drop(es2);
}

static void inherited(void **state)
{
    PAPI_option_t option = {0};
    long long value;
    (void)state;
    need_kernel_mode();
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, component()));
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    OK(PAPI_set_opt(PAPI_INHERIT, &option));
    OK(PAPI_add_named_event(es, RETIRING));
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, &value));
    about(value, 25, "retiring");
    test_drop(es);
}

/* ---- refusals */

static void not_inherited(void **state)
{
    PAPI_option_t option = {0};
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int es = test_set(RETIRING, NULL);
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    REFUSES(PAPI_set_opt(PAPI_INHERIT, &option), PAPI_ECMP, "in one group");
    test_drop(es);
}

static void overflowed(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
}

static void no_sums(void **state)
{
    long long value[2] = {7, 7};
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int es = test_set(RETIRING, NULL);
    OK(PAPI_start(es));
    CODE(PAPI_accum(es, value), PAPI_ECMP);
    EQUAL(value[0], 7);
    REFUSES(PAPI_write(es, value), PAPI_ECMP, "no single counter");
    OK(PAPI_stop(es, value));
    REFUSES(PAPI_accum(es, value), PAPI_ECMP, "cannot be added up");
    REFUSES(PAPI_set_multiplex(es), PAPI_ECMP, "take turns");
    REFUSES(PAPI_overflow(es, test_code_of(RETIRING), 1000, PAPI_OVERFLOW_FORCE_SW, overflowed), PAPI_ENOSUPP,
            "real numbers");
    REFUSES(PAPI_add_named_event(es, FAULTS), PAPI_ECNFLCT,
            "by component perf_event, the event set by topdown");
    test_drop(es);
    es = test_set(FAULTS, NULL);
    REFUSES(PAPI_add_named_event(es, RETIRING), PAPI_ECNFLCT, "by component topdown, the event set by perf");
    test_drop(es);
}

static void not_in_formulas(void **state)
{
    PAPI_event_info_t info = {.event_code = (unsigned)PAPI_UE_MASK};
    int code;
    (void)state;
    strcpy(info.symbol, "TWICE");
    strcpy(info.derived, "DERIVED_POSTFIX");
    strcpy(info.postfix, "N0|2|*");
    strcpy(info.name[0], RETIRING);
    REFUSES(PAPI_set_event_info(&info, &code, 0), PAPI_EINVAL, "core/topdown-slots-retired/");
}

/* Regions name the counters that have sums and differences, and count those. */
static void in_regions(void *unused)
{
    static const char parts[] = "core/topdown-total-slots/, core/topdown-slots-retired/";
    char folder[] = "/tmp/fpapi-topdown-XXXXXX", command[128], text[16384] = "";
    (void)unused;
    CHECK(mkdtemp(folder) != NULL);
    setenv("PAPI_OUTPUT_DIRECTORY", folder, 1);
    setenv("PAPI_EVENTS", RETIRING ",core/topdown-total-slots/,core/topdown-slots-retired/", 1);
    OK(PAPI_hl_region_begin("work"));
    test_touch_pages(PAGES);
    OK(PAPI_hl_region_end("work"));
    OK(PAPI_hl_stop());
    snprintf(command, sizeof command, "cat %s/*/*.json && rm -r %s", folder, folder);
    FILE *output = popen(command, "r");
    CHECK(output != NULL && fread(text, 1, sizeof text - 1, output) > 0);
    EQUAL(pclose(output), 0);
    CHECK(strstr(text, "regions take whole ones; it is computed of ") != NULL && strstr(text, parts) != NULL);
    const char *counted = strstr(text, "\"core/topdown-slots-retired/\": \"");
    CHECK(counted != NULL);
    CHECK(atoi(strchr(counted, ':') + 3) >= PAGES);
}

static void regions_name_the_counters(void **state)
{
    (void)state;
    need_kernel_mode();
    PAPI_shutdown();
    test_in_child(in_regions, NULL);
}

static void a_part_is_refused(void **state)
{
    int es = PAPI_NULL;
    (void)state;
    PAPI_shutdown();
    made_slots_put("core", "topdown-slots-issued", NOT_KNOWN);
    test_init();
    NEED_SOFTWARE_EVENTS();
    CODE(PAPI_query_named_event(BAD_SPEC), PAPI_ENOEVNT);
    OK(PAPI_query_named_event(RETIRING));
    OK(PAPI_create_eventset(&es));
    CODE(PAPI_add_named_event(es, BAD_SPEC), PAPI_ENOEVNT);
    OK(PAPI_add_named_event(es, RETIRING));
    test_drop(es);
    made_slots_refused = EACCES;
    es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    CODE(PAPI_add_named_event(es, RETIRING), PAPI_EPERM);
    OK(PAPI_destroy_eventset(&es));
}

static int without(void **state)
{
    (void)state;
    PAPI_shutdown();
    if (made_slots_begin() != 0)
        return -1;
    made_machine_put_pmu("core", CORES, "0-1\n");
    made_slots_put("core", "topdown-retiring", IN_ALL); /* without slots */
    made_slots_put("core", "topdown-slots-retired", IN_ALL);
    made_slots_put("core", "topdown-total-slots", IN_ALL);
    made_slots_put_scale("core", "topdown-total-slots", "0.5\n");
    made_machine_put_pmu("other", OTHER, NULL); /* not of cores */
    made_slots_put_skylake("other");
    test_init();
    return 0;
}

static void nothing_there(void **state)
{
    (void)state;
    const PAPI_component_info_t *info = PAPI_get_component_info(component());
    EQUAL(info->disabled, PAPI_ENOSUPP);
    CHECK(strstr(info->disabled_reason, "topdown-slots-retired") != NULL);
    EQUAL(info->num_native_events, 0);
    REFUSES(PAPI_event_name_to_code(RETIRING, &(int){0}), PAPI_ENOEVNT, "topdown-slots-retired");
}

static int hybrid(void **state)
{
    (void)state;
    PAPI_shutdown();
    if (made_slots_begin() != 0)
        return -1;
    made_machine_put_pmu("cpu_atom", ATOM, "1\n");
    made_slots_put("cpu_atom", "topdown-retiring", IN_ALL);
    made_machine_put_pmu("cpu_core", CORES, "0\n");
    made_slots_put("cpu_core", "slots", IN_ALL);
    made_slots_put("cpu_core", "topdown-retiring", IN_USER_MODE);
    test_init();
    return 0;
}

static void of_one_core_type(void **state)
{
    PAPI_event_info_t info;
    long long value;
    (void)state;
    need_kernel_mode();
    const PAPI_component_info_t *found = PAPI_get_component_info(component());
    EQUAL(found->disabled, 0);
    CHECK(found->partially_disabled != 0);
    /* On a machine without hardware counters, their absence is the reason that is given. */
    if (PAPI_get_component_info(0)->partially_disabled == 0)
        CHECK(strstr(found->partially_disabled_reason, "cpu_core") != NULL);
    EQUAL(listed(), 1);
    OK(PAPI_get_event_info(test_code_of(RETIRING), &info));
    assert_string_equal(info.name[1], "cpu_core/topdown-retiring/");
    int es = test_set(RETIRING, NULL);
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, &value));
    about(value, 100, "retiring");
    test_drop(es);
}

#define ON(machine, test) cmocka_unit_test_setup_teardown(test, machine, clean_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON(skylake, what_a_share_is),
        ON(icelake, those_of_icelake),
        ON(skylake, shares_of_all),
        ON(skylake, since_start_or_reset),
        ON(skylake, an_event_leaves),
        ON(icelake, slots_lead),
        ON(skylake, inherited),
        ON(icelake, not_inherited),
        ON(skylake, no_sums),
        ON(skylake, not_in_formulas),
        ON(skylake, regions_name_the_counters),
        ON(skylake, a_part_is_refused),
        ON(without, nothing_there),
        ON(hybrid, of_one_core_type),
    };
    return TEST_RUN(tests);
}
