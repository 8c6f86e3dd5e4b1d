/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events that cannot be counted are refused with a reason, by whichever call it is asked for. A folder stands
 * for the machine's sysfs, and the test answers for the kernel.
 */
#include "made_machine.h"
#include "testing.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MADE = 4242 /* the type of a PMU that no machine has */, PAGES = 300 };

static int set_up(void **state)
{
    (void)state;
    PAPI_shutdown();
    made_machine_answer = NULL;
    if (made_machine_create() != 0)
        return -1;
    made_machine_put_pmu("made", MADE, NULL);
    made_machine_put_pmu("core", PERF_TYPE_RAW, NULL);
    made_machine_put("sys/bus/event_source/devices/made/format/narrow", "config1:0-3\n");
    made_machine_put("sys/bus/event_source/devices/made/format/strange", "config9:0-3\n");
    made_machine_put("sys/bus/event_source/devices/made/events/broken", "event=1,missing=2\n");
    made_machine_put("sys/bus/event_source/devices/made/events/empty", "\n");
    made_machine_put("sys/bus/event_source/devices/typeless/format/event", "config:0-63\n");
    test_init();
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    PAPI_shutdown();
    made_machine_answer = NULL;
    return made_machine_remove();
}

static int new_set(void)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    return es;
}

/* ---- reasons */

/* The code's own text is what another code's error leaves of it. */
static void check_reason(int code, const char *call, const char *name)
{
    char text[PAPI_HUGE_STR_LEN];
    snprintf(text, sizeof text, "%s", PAPI_strerror(code));
    CODE(PAPI_state(PAPI_NULL, NULL), PAPI_ENOEVST);
    if (code == PAPI_ENOEVST || strlen(text) <= strlen(PAPI_strerror(code)) + 2) {
        fprintf(stderr, "# %s of \"%.60s\": %d, \"%s\"\n", call, name, code, text);
        fail();
    }
}

/* A code that is not PAPI_OK has a reason. */
static int reasoned(int code, const char *call, const char *name)
{
    if (code < 0)
        check_reason(code, call, name);
    return code;
}
#define REASONED(call, name) reasoned((call), #call, (name))

/* Every call refuses an event alike, or none does. */
static int ask_code(int event, const char *name)
{
    int es = new_set(), code = REASONED(PAPI_query_event(event), name);
    EQUAL(REASONED(PAPI_add_event(es, event), name), code);
    OK(PAPI_cleanup_eventset(es));
    EQUAL(REASONED(PAPI_add_events(es, &event, 1), name), code);
    test_drop(es);
    return code;
}

static int ask_name(const char *name)
{
    int es = new_set(), event = 0, code = REASONED(PAPI_event_name_to_code(name, &event), name);
    if (code == PAPI_OK)
        code = ask_code(event, name);
    EQUAL(REASONED(PAPI_query_named_event(name), name), code);
    EQUAL(REASONED(PAPI_add_named_event(es, name), name), code);
    test_drop(es);
    return code;
}

static void names_that_are_no_events(void **state)
{
    static const char *const names[] = {
        "",
        "NO-SUCH-EVENT",
        "::",
        "perf::",
        "perf::NO-SUCH-EVENT",
        "nopmu::EVENT",
        "rapl::RAPL_ENERGY_PKG",
        "skx::TOPDOWN:SLOTS",
        FAULTS ":precise=2",
        FAULTS ":period=1000",
        FAULTS ":nosuch",
        "emu::NO-SUCH-EVENT",
        "nopmu/event=1/",
        "power/energy-pkg/x",
        "typeless/event=1/",
        "made/nosuch/",
        "made/nosuch=1/",
        "made/event=/",
        "made/event=x/",
        "made/=1/",
        "made/event=1",
        "made//",
        "made/event=1/z",
        "made/narrow=16/",
        "made/strange=1/",
        "made/broken/",
        "made/empty/",
        "/event=1/",
        "../made/event=1/",
    };
    char longest[2000] = "made/event=";
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        EQUAL(ask_name(names[i]), PAPI_ENOEVNT);
    memset(longest + strlen(longest), '1', 600);
    EQUAL(ask_name(longest), PAPI_ENOEVNT);
    memset(longest + strlen(longest), '1', sizeof longest - strlen(longest) - 1);
    EQUAL(ask_name(longest), PAPI_ENOEVNT);
    EQUAL(ask_name("PAPI_NO_SUCH_PRESET"), PAPI_ENOTPRESET);
}

static void codes_that_are_no_events(void **state)
{
    int code = PAPI_NATIVE_MASK | 0x3ffff, error;
    char name[PAPI_MAX_STR_LEN];
    PAPI_event_info_t info;
    (void)state;
    EQUAL(ask_code(code, "a native code"), PAPI_ENOEVNT);
    EQUAL(ask_code(PAPI_UE_MASK | 77, "a user event"), PAPI_ENOEVNT);
    EQUAL(REASONED(PAPI_event_code_to_name(code, name), "code"), PAPI_ENOEVNT);
    EQUAL(REASONED(PAPI_get_event_info(code, &info), "code"), PAPI_ENOEVNT);
    EQUAL(REASONED(PAPI_get_event_component(code), "code"), PAPI_ENOEVNT);
    EQUAL(REASONED(PAPI_enum_event(&code, PAPI_ENUM_EVENTS), "code"), PAPI_ENOEVNT);
    code = test_code_of(FAULTS);
    for (int modifier = PAPI_NTV_ENUM_UMASK_COMBOS; modifier <= PAPI_NTV_ENUM_GROUPS; modifier++)
        EQUAL(REASONED(PAPI_enum_event(&code, modifier), "groups"), PAPI_ENOEVNT);
    EQUAL(REASONED(PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASKS), "masks"), PAPI_ENOEVNT);
    code = PAPI_PRESET_MASK;
    while ((error = PAPI_enum_event(&code, PAPI_ENUM_EVENTS)) == PAPI_OK)
        ;
    EQUAL(REASONED(error, "behind the last preset"), PAPI_ENOEVNT);
    memset(&info, 0, sizeof info);
    EQUAL(REASONED(PAPI_set_event_info(&info, &code, 0), "info"), PAPI_ENOEVNT);
}

static int refused_with; /* errno of the kernel for all that is not its own */

static int refuse_processor(struct perf_event_attr *attr, int thread, int cpu)
{
    (void)thread, (void)cpu;
    return attr->type == PERF_TYPE_SOFTWARE ? 0 : refused_with;
}

static void every_preset(void **state)
{
    (void)state;
    for (int i = PAPI_PRESET_MASK; i != (int)PAPI_END; i++)
        ask_code(i, "a preset");
    PAPI_shutdown();
    made_machine_answer = refuse_processor;
    refused_with = ENOENT;
    test_init();
    for (int i = PAPI_PRESET_MASK; i != (int)PAPI_END; i++)
        CHECK(ask_code(i, "a preset") < 0 || getenv("PAPI_CSV_EVENT_FILE") != NULL);
}

/* Answers are kept: each event is asked for once. */
static void every_error_of_the_kernel(void **state)
{
    static const struct {
        int error, code;
    } errors[] = {
        {ENOENT, PAPI_ENOEVNT},     {ENODEV, PAPI_ENOEVNT},       {ENXIO, PAPI_ENOEVNT},
        {EOPNOTSUPP, PAPI_ENOEVNT}, {EINVAL, PAPI_ENOEVNT},       {EACCES, PAPI_EPERM},
        {EPERM, PAPI_EPERM},        {EBUSY, PAPI_ECNFLCT},        {ENOMEM, PAPI_ENOMEM},
        {EMFILE, PAPI_ESYS},        {ENOSYS, PAPI_ECMP_DISABLED}, {E2BIG, PAPI_ESYS},
    };
    char name[64];
    (void)state;
    made_machine_answer = refuse_processor;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        refused_with = errors[i].error;
        snprintf(name, sizeof name, "made/event=%zu/", i);
        EQUAL(ask_name(name), errors[i].code);
        snprintf(name, sizeof name, "core/event=%zu/", i);
        CHECK(ask_name(name) < 0);
    }
}

/* ---- PMUs outside of the cores */

/* Counts whole CPUs in all modes: page faults stand for what it counts. */
static int outside(struct perf_event_attr *attr, int thread, int cpu)
{
    if (attr->type != MADE)
        return 0;
    if (thread != -1 || cpu < 0 || attr->exclude_user || attr->exclude_kernel || attr->exclude_hv)
        return EINVAL;
    attr->type = PERF_TYPE_SOFTWARE;
    return 0;
}

static int attach_to_cpu(int es)
{
    PAPI_option_t option = {0};
    option.cpu.eventset = es;
    option.cpu.cpu_num = 0;
    return PAPI_set_opt(PAPI_CPU_ATTACH, &option);
}

static int set_domain(int es, int domain)
{
    PAPI_option_t option = {0};
    option.domain.eventset = es;
    option.domain.domain = domain;
    return PAPI_set_opt(PAPI_DOMAIN, &option);
}

static void whole_cpus_alone(void **state)
{
    static const char name[] = "made/event=2/";
    long long value = -1;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    made_machine_answer = outside;
    int es = new_set();
    OK(PAPI_assign_eventset_component(es, 0));
    if (attach_to_cpu(es) != PAPI_OK)
        SKIP("a whole CPU may not be counted: %s", PAPI_strerror(PAPI_EPERM));
    EQUAL(ask_name(name), PAPI_ENOEVNT);
    CODE(PAPI_query_named_event(name), PAPI_ENOEVNT);
    CHECK(strstr(PAPI_strerror(PAPI_ENOEVNT), "PAPI_CPU_ATTACH") != NULL);
    CHECK(strstr(PAPI_strerror(PAPI_ENOEVNT), "PAPI_DOM_ALL") != NULL);
    /* The advice, one half and both. */
    CODE(PAPI_add_named_event(es, name), PAPI_ENOEVNT);
    CHECK(strstr(PAPI_strerror(PAPI_ENOEVNT), "PAPI_DOM_ALL") != NULL);
    OK(set_domain(es, PAPI_DOM_ALL));
    OK(PAPI_add_named_event(es, name));
    OK(PAPI_start(es));
    OK(PAPI_stop(es, &value));
    CHECK(value >= 0);
    test_drop(es);
}

static int outside_and_forbidden(struct perf_event_attr *attr, int thread, int cpu)
{
    int error = outside(attr, thread, cpu);
    return error == 0 && thread == -1 ? EACCES : error;
}

static int outside_and_lacking(struct perf_event_attr *attr, int thread, int cpu)
{
    int error = outside(attr, thread, cpu);
    return error == 0 && thread == -1 ? EMFILE : error;
}

static void whole_cpus_that_cannot_be_tried(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    made_machine_answer = outside_and_forbidden;
    CODE(PAPI_query_named_event("made/event=1/"), PAPI_ENOEVNT);
    CHECK(strstr(PAPI_strerror(PAPI_ENOEVNT), "perf_event_paranoid") != NULL);
    made_machine_answer = outside_and_lacking;
    errno = 0;
    CODE(PAPI_query_named_event("made/event=2/"), PAPI_ESYS);
    EQUAL(errno, EMFILE);
    CHECK(strstr(PAPI_strerror(PAPI_ESYS), strerror(EMFILE)) != NULL);
    made_machine_answer = outside; /* that was not for ever */
    CODE(PAPI_query_named_event("made/event=2/"), PAPI_ENOEVNT);
}

/* ---- periods */

static long long least; /* 0: the counter has no interrupt */

static int with_least_period(struct perf_event_attr *attr, int thread, int cpu)
{
    (void)thread, (void)cpu;
    if (attr->type != MADE)
        return 0;
    if (attr->sample_period != 0 && (least == 0 || attr->sample_period < (unsigned long long)least))
        return least == 0 ? EOPNOTSUPP : EINVAL;
    attr->type = PERF_TYPE_SOFTWARE;
    return 0;
}

static volatile int calls;

static void count_call(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
    calls++;
}

static void check_counts(int es, int threshold)
{
    long long values[2];
    calls = 0;
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], PAGES);
    COUNTED(values[1], PAGES);
    EQUAL(calls, threshold != 0 ? values[1] / threshold : 0);
}

static void check_least(int es, int event, int threshold)
{
    char part[64];
    snprintf(part, sizeof part, "a period of %d ", threshold);
    CODE(PAPI_overflow(es, event, threshold, 0, count_call), PAPI_EINVAL);
    CHECK(strstr(PAPI_strerror(PAPI_EINVAL), part) != NULL);
    snprintf(part, sizeof part, "the least is %lld", least);
    CHECK(strstr(PAPI_strerror(PAPI_EINVAL), part) != NULL);
    check_counts(es, 0);
}

static void least_periods(void **state)
{
    static const int all[] = {2, 3, 32, 128, 100000, INT_MAX};
    static unsigned histogram[16];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    made_machine_answer = with_least_period;
    int es = test_set(FAULTS, "made/event=2/", NULL), event = test_code_of("made/event=2/");
    int before = test_open_descriptors();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        least = all[i];
        check_least(es, event, 1);
        check_least(es, event, all[i] - 1);
        CODE(PAPI_profil(histogram, sizeof histogram, NULL, 65536, es, event, 1, 0), PAPI_EINVAL);
        OK(PAPI_overflow(es, event, all[i], 0, count_call));
        check_counts(es, all[i]);
        OK(PAPI_overflow(es, event, 0, 0, count_call));
    }
    EQUAL(test_open_descriptors(), before);
    least = 0;
    CODE(PAPI_overflow(es, event, 1000, 0, count_call), PAPI_ENOSUPP);
    CHECK(strstr(PAPI_strerror(PAPI_ENOSUPP), "PAPI_OVERFLOW_FORCE_SW") != NULL);
    check_counts(es, 0);
    test_drop(es);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_that_are_no_events, set_up, clean_up),
        cmocka_unit_test_setup_teardown(codes_that_are_no_events, set_up, clean_up),
        cmocka_unit_test_setup_teardown(every_preset, set_up, clean_up),
        cmocka_unit_test_setup_teardown(every_error_of_the_kernel, set_up, clean_up),
        cmocka_unit_test_setup_teardown(whole_cpus_alone, set_up, clean_up),
        cmocka_unit_test_setup_teardown(whole_cpus_that_cannot_be_tried, set_up, clean_up),
        cmocka_unit_test_setup_teardown(least_periods, set_up, clean_up),
    };
    return TEST_RUN(tests);
}
