/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component perf_event_uncore. A folder stands for the machine's sysfs, and the test answers for the
 * kernel: it looks at how a counter is opened, and page faults of the CPU stand for what it counts.
 */
#include "../made_clock.h"
#include "made_machine.h"
#include "testing.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES "sys/bus/event_source/devices/"
#define ENERGY "power/energy-pkg/"
#define READS "uncore_imc_0/cas_count_read/"
#define CORE "core/event=1/"

enum { POWER = 4242, MEMORY = 4243, CORES = 4244, MEMORY_1 = 4245, PAGES = 300 };

static int last_cpu, opened; /* of the counters outside the cores */
static struct {
    unsigned type;
    unsigned long long config;
    int cpu;
} opens[64];
static int refused_with;

/* As the kernel's drivers of such PMUs do. */
static int uncore(struct perf_event_attr *attr, int thread, int cpu)
{
    if (attr->type != POWER && attr->type != MEMORY && attr->type != MEMORY_1)
        return thread == -1 ? refused_with : 0;
    if (thread != -1 || cpu < 0 || attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
        attr->sample_period || attr->inherit)
        return EINVAL;
    last_cpu = cpu;
    opens[opened % 64].type = attr->type;
    opens[opened % 64].config = attr->config;
    opens[opened++ % 64].cpu = cpu;
    attr->type = PERF_TYPE_SOFTWARE;
    attr->config = PERF_COUNT_SW_PAGE_FAULTS;
    return refused_with;
}

static void put_pmu(const char *name, int type, const char *mask, const char *event)
{
    char path[128];
    made_machine_put_pmu(name, type, NULL);
    snprintf(path, sizeof path, DEVICES "%s/cpumask", name);
    made_machine_put(path, mask);
    snprintf(path, sizeof path, DEVICES "%s/events/%s", name, event);
    made_machine_put(path, "event=2\n");
}

static int set_up(void **state)
{
    (void)state;
    PAPI_shutdown();
    made_machine_answer = uncore;
    refused_with = opened = 0;
    if (made_machine_create() != 0)
        return -1;
    made_machine_put_pmu("core", CORES, NULL);
    put_pmu("power", POWER, "0,1\n", "energy-pkg");
    made_machine_put(DEVICES "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
    made_machine_put(DEVICES "power/events/energy-pkg.unit", "Joules\n");
    put_pmu("uncore_imc_0", MEMORY, "0\n", "cas_count_read");
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

static int component(void)
{
    return PAPI_get_component_index("perf_event_uncore");
}

static void need_rights(void)
{
    int es = PAPI_NULL;
    PAPI_option_t option = {.cpu = {.cpu_num = 0}};
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, 0));
    option.cpu.eventset = es;
    if (PAPI_set_opt(PAPI_CPU_ATTACH, &option) != PAPI_OK)
        SKIP("a whole CPU may not be counted here");
    test_drop(es);
}

/* ---- names */

static void names(void **state)
{
    static const char *const all[] = {ENERGY, READS, ENERGY ":cpu=1", "uncore_imc_0/event=7/"};
    PAPI_event_info_t info;
    (void)state;
    CHECK(component() > 0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        EQUAL(PAPI_get_event_component(test_code_of(all[i])), component());
        OK(PAPI_get_event_info(test_code_of(all[i]), &info));
        EQUAL(info.component_index, component());
        EQUAL(info.location, PAPI_LOCATION_UNCORE);
        assert_string_equal(info.units,
                            strncmp(all[i], "power", 5) == 0 ? "2.3283064365386962890625e-10 Joules" : "");
    }
    EQUAL(PAPI_get_event_component(test_code_of(CORE)), 0);
    EQUAL(PAPI_get_event_component(test_code_of(FAULTS)), 0);
    OK(PAPI_get_event_info(test_code_of(CORE), &info));
    EQUAL(info.location, PAPI_LOCATION_CORE);
    assert_string_equal(info.units, "");
}

static void names_are_listed(void **state)
{
    int code = PAPI_NATIVE_MASK, n = 0, other = PAPI_NATIVE_MASK;
    char name[PAPI_MAX_STR_LEN];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int e = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component()); e == PAPI_OK;
         e = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component())) {
        OK(PAPI_event_code_to_name(code, name));
        CHECK(strcmp(name, n == 0 ? ENERGY : READS) == 0);
        n++;
    }
    EQUAL(n, 2);
    EQUAL(PAPI_get_component_info(component())->num_native_events, 2);
    for (int e = PAPI_enum_cmp_event(&other, PAPI_ENUM_FIRST, 0); e == PAPI_OK;
         e = PAPI_enum_cmp_event(&other, PAPI_ENUM_EVENTS, 0)) {
        OK(PAPI_event_code_to_name(other, name));
        CHECK(strcmp(name, ENERGY) != 0 && strcmp(name, READS) != 0);
    }
}

static void names_that_are_wrong(void **state)
{
    int code;
    (void)state;
    REFUSES(PAPI_event_name_to_code(ENERGY ":cpu=", &code), PAPI_ENOEVNT, "number of a CPU");
    REFUSES(PAPI_event_name_to_code(ENERGY ":cpu=x", &code), PAPI_ENOEVNT, "number of a CPU");
    REFUSES(PAPI_event_name_to_code(ENERGY ":cpu=99999999999", &code), PAPI_ENOEVNT, "number of a CPU");
    REFUSES(PAPI_event_name_to_code(ENERGY "u", &code), PAPI_ENOEVNT, "all modes");
    REFUSES(PAPI_event_name_to_code(CORE ":cpu=0", &code), PAPI_ENOEVNT, "PAPI_CPU_ATTACH");
    REFUSES(PAPI_event_name_to_code(FAULTS ":cpu=0", &code), PAPI_ENOEVNT, "PAPI_CPU_ATTACH");
}

/* libpfm4's names, with a processor that the machine need not have. */
static void ask_pfm(void *unused)
{
    PAPI_event_info_t info;
    (void)unused;
    setenv("LIBPFM_FORCE_PMU", "snbep_unc_imc0", 1);
    test_init();
    static const char name[] = "snbep_unc_imc0::UNC_M_CAS_COUNT:RD";
    int code, with_cpu;
    OK(PAPI_event_name_to_code(name, &code));
    EQUAL(PAPI_get_event_component(code), component());
    OK(PAPI_event_name_to_code("snbep_unc_imc0::UNC_M_CAS_COUNT:RD:cpu=1", &with_cpu));
    OK(PAPI_get_event_info(with_cpu, &info));
    EQUAL(info.component_index, component());
    CHECK(strlen(info.long_descr) > 0);
    OK(PAPI_query_event(code));
    EQUAL(last_cpu, 0);
    OK(PAPI_query_event(with_cpu));
    EQUAL(last_cpu, 1);
    code = PAPI_NATIVE_MASK;
    OK(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component()));
    EQUAL(PAPI_get_event_component(code), component());
    PAPI_shutdown();
}

static void names_of_pfm(void **state)
{
    (void)state;
    need_rights();
    PAPI_shutdown();
    test_in_child(ask_pfm, NULL);
}

/* ---- counts */

static void counts_the_first_cpu(void **state)
{
    long long value[2];
    cpu_set_t first, all;
    (void)state;
    need_rights();
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    if (sched_setaffinity(0, sizeof first, &first) != 0)
        SKIP("the test may not choose its CPU");
    int es = test_set(ENERGY, READS, NULL);
    EQUAL(PAPI_get_eventset_component(es), component());
    EQUAL(last_cpu, 0);
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_read(es, value));
    CHECK(value[0] >= PAGES && value[1] >= PAGES);
    OK(PAPI_reset(es));
    OK(PAPI_stop(es, value));
    test_touch_pages(PAGES);
    OK(PAPI_read(es, value));
    CHECK(value[0] < PAGES && value[1] < PAGES);
    test_drop(es);
    sched_setaffinity(0, sizeof all, &all);
}

static void counts_the_named_cpu(void **state)
{
    (void)state;
    need_rights();
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        SKIP("this machine has one CPU");
    int es = test_set(ENERGY ":cpu=1", NULL);
    EQUAL(last_cpu, 1);
    OK(PAPI_add_named_event(es, ENERGY ":cpu=0"));
    EQUAL(last_cpu, 0);
    OK(PAPI_start(es));
    OK(PAPI_stop(es, NULL));
    test_drop(es);
}

static void set_cpu(int es, int cpu)
{
    PAPI_option_t option = {.cpu = {.eventset = es, .cpu_num = (unsigned)cpu}};
    OK(PAPI_set_opt(PAPI_CPU_ATTACH, &option));
}

/* As programs for PAPI's component do. */
static void counts_as_asked(void **state)
{
    PAPI_option_t option = {0};
    int es = PAPI_NULL;
    long long value = -1;
    (void)state;
    need_rights();
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, component()));
    option.granularity.eventset = es;
    option.granularity.granularity = PAPI_GRN_SYS;
    OK(PAPI_set_opt(PAPI_GRANUL, &option));
    option.granularity.granularity = 0;
    OK(PAPI_get_opt(PAPI_GRANUL, &option));
    EQUAL(option.granularity.granularity, PAPI_GRN_SYS);
    option.domain.eventset = es;
    option.domain.domain = PAPI_DOM_ALL;
    OK(PAPI_set_opt(PAPI_DOMAIN, &option));
    int cpu = sysconf(_SC_NPROCESSORS_ONLN) > 1;
    set_cpu(es, cpu);
    OK(PAPI_add_named_event(es, ENERGY ":cpu=0")); /* the set's own CPU comes first */
    EQUAL(last_cpu, cpu);
    OK(PAPI_start(es));
    OK(PAPI_stop(es, &value));
    CHECK(value >= 0);
    test_drop(es);
}

/* ---- packages and instances */

#define BOTH "uncore_imc/cas_count_read/"
#define ONLINE "sys/devices/system/cpu/online"

/* A machine of two packages with a CPU each, and two memory controllers in each. */
static int two_packages(void **state)
{
    if (set_up(state) != 0)
        return -1;
    PAPI_shutdown();
    put_pmu("uncore_imc_0", MEMORY, "0,1\n", "cas_count_read");
    put_pmu("uncore_imc_1", MEMORY_1, "0,1\n", "cas_count_read");
    made_machine_put("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
    made_machine_put("sys/devices/system/cpu/cpu1/topology/physical_package_id", "1\n");
    made_machine_put(ONLINE, "0-1\n");
    test_init();
    return 0;
}

static void need_two_cpus(void)
{
    need_rights();
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        SKIP("this machine has one CPU");
}

struct box {
    unsigned type;
    int cpu;
};

/* Checks which counters an event has in a set: these, in this order, with the event's number. cpu: that the
 * set is attached to, -1: to none. */
static void opens_these(const char *name, int cpu, int n, const struct box *box)
{
    int es = PAPI_NULL, code;
    OK(PAPI_event_name_to_code(name, &code));
    OK(PAPI_query_event(code)); /* which the kernel is asked for once */
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, component()));
    if (cpu >= 0)
        set_cpu(es, cpu);
    opened = 0;
    OK(PAPI_add_event(es, code));
    EQUAL(opened, n);
    for (int i = 0; i < n; i++) {
        EQUAL(opens[i].type, box[i].type);
        EQUAL(opens[i].config, 2);
        EQUAL(opens[i].cpu, box[i].cpu);
    }
    test_drop(es);
}
#define BOXES(...)                                                                                           \
    (int)(sizeof((struct box[]){__VA_ARGS__}) / sizeof(struct box)), (struct box[])                          \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static void are_all_counted(void **state)
{
    (void)state;
    need_two_cpus();
    opens_these(BOTH, -1, BOXES({MEMORY, 0}, {MEMORY, 1}, {MEMORY_1, 0}, {MEMORY_1, 1}));
    opens_these(READS, -1, BOXES({MEMORY, 0}, {MEMORY, 1}));
    opens_these("uncore_imc_1/cas_count_read/", -1, BOXES({MEMORY_1, 0}, {MEMORY_1, 1}));
    opens_these("uncore_imc/event=2/", -1, BOXES({MEMORY, 0}, {MEMORY, 1}, {MEMORY_1, 0}, {MEMORY_1, 1}));
    opens_these(ENERGY, -1, BOXES({POWER, 0}, {POWER, 1}));
}

static void are_chosen(void **state)
{
    int code;
    (void)state;
    need_two_cpus();
    opens_these(BOTH ":package=1", -1, BOXES({MEMORY, 1}, {MEMORY_1, 1}));
    opens_these(BOTH ":instance=1", -1, BOXES({MEMORY_1, 0}, {MEMORY_1, 1}));
    opens_these(BOTH ":package=0:instance=1", -1, BOXES({MEMORY_1, 0}));
    opens_these(BOTH ":instance=1:package=0", -1, BOXES({MEMORY_1, 0}));
    opens_these(BOTH ":cpu=1", -1, BOXES({MEMORY, 1}, {MEMORY_1, 1}));
    opens_these(BOTH ":cpu=1:instance=0", -1, BOXES({MEMORY, 1}));
    opens_these(BOTH, 1, BOXES({MEMORY, 1}, {MEMORY_1, 1})); /* a set that is attached to a CPU */
    opens_these(ENERGY, 0, BOXES({POWER, 0}));
    opens_these(ENERGY ":package=1", -1, BOXES({POWER, 1}));
    REFUSES(PAPI_event_name_to_code(BOTH ":package=7", &code), PAPI_ENOEVNT, "packages 0 1");
    REFUSES(PAPI_event_name_to_code(BOTH ":instance=7", &code), PAPI_ENOEVNT, "instances 0 1");
    REFUSES(PAPI_event_name_to_code(BOTH ":package=", &code), PAPI_ENOEVNT, "number of a package");
    REFUSES(PAPI_event_name_to_code(BOTH ":instance=x", &code), PAPI_ENOEVNT, "number of an instance");
    REFUSES(PAPI_event_name_to_code(FAULTS ":package=0", &code), PAPI_ENOEVNT, "leave it out");
    REFUSES(PAPI_event_name_to_code("uncore_im/cas_count_read/", &code), PAPI_ENOEVNT, "no PMU");
}

/* Each instance has CPUs of its own, those of its package. */
static void have_masks_of_their_own(void **state)
{
    long long value;
    (void)state;
    need_two_cpus();
    PAPI_shutdown();
    put_pmu("uncore_imc_0", MEMORY, "0\n", "cas_count_read");
    put_pmu("uncore_imc_1", MEMORY_1, "1\n", "cas_count_read");
    test_init();
    opens_these(BOTH, -1, BOXES({MEMORY, 0}, {MEMORY_1, 1}));
    opens_these("uncore_imc_1/cas_count_read/", -1, BOXES({MEMORY_1, 1}));
    opens_these(BOTH ":package=1", -1, BOXES({MEMORY_1, 1}));
    opens_these(BOTH ":instance=0", -1, BOXES({MEMORY, 0}));
    opens_these(BOTH ":cpu=1", -1, BOXES({MEMORY_1, 1}));
    opens_these(BOTH ":cpu=0", -1, BOXES({MEMORY, 0}));
    /* The kernel has no CPU of the second one's package any more, and one more is switched off. */
    int es = test_set(BOTH, NULL);
    OK(PAPI_start(es));
    OK(PAPI_read(es, &value));
    made_machine_put(DEVICES "uncore_imc_1/cpumask", "\n");
    made_machine_put(ONLINE, "0\n");
    CODE(PAPI_read(es, &value), PAPI_ECLOST);
    made_machine_put(DEVICES "uncore_imc_1/cpumask", "1\n");
    made_machine_put(ONLINE, "0-1\n");
    OK(PAPI_stop(es, &value));
    test_drop(es);
}

static void are_summed(void **state)
{
    long long value[3];
    cpu_set_t one, all;
    (void)state;
    need_two_cpus();
    sched_getaffinity(0, sizeof all, &all);
    int before = test_open_descriptors();
    int es = test_set(BOTH, BOTH ":instance=0:package=1", BOTH ":package=0", NULL);
    OK(PAPI_start(es));
    for (int cpu = 0; cpu < 2; cpu++) {
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
        test_touch_pages(PAGES);
    }
    OK(PAPI_read(es, value));
    CHECK(value[0] >= 4 * PAGES && value[1] >= PAGES && value[2] >= 2 * PAGES);
    OK(PAPI_stop(es, value));
    OK(PAPI_read(es, value));
    CHECK(value[0] >= 4 * PAGES && value[1] >= PAGES && value[2] >= 2 * PAGES);
    sched_setaffinity(0, sizeof all, &all);
    test_drop(es);
    EQUAL(test_open_descriptors(), before);
}

static void are_listed_once(void **state)
{
    int code = PAPI_NATIVE_MASK, n = 0;
    char name[PAPI_MAX_STR_LEN];
    PAPI_event_info_t info;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int e = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component()); e == PAPI_OK;
         e = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component())) {
        OK(PAPI_event_code_to_name(code, name));
        CHECK(strcmp(name, n == 0 ? ENERGY : BOTH) == 0);
        OK(PAPI_get_event_info(code, &info));
        CHECK(n == 0 || strstr(info.long_descr, "PMU uncore_imc (") != NULL);
        n++;
    }
    EQUAL(n, 2);
}

/* CPUs are switched off and on as far as the files tell. */
static void cpus_that_go(void **state)
{
    long long value = -1;
    (void)state;
    need_two_cpus();
    int es = test_set(ENERGY, NULL);
    OK(PAPI_start(es));
    made_machine_put(ONLINE, "0-1,5\n");
    made_machine_put(DEVICES "power/cpumask", "0,5\n"); /* where the kernel has moved the counts */
    OK(PAPI_read(es, &value));
    made_machine_put(DEVICES "power/cpumask", "0-1,5\n");
    REFUSES(PAPI_read(es, &value), PAPI_ECLOST, "now on 0-1,5");
    made_machine_put(DEVICES "power/cpumask", "0\n");
    value = -1;
    REFUSES(PAPI_read(es, &value), PAPI_ECLOST, "counted on 2 CPUs");
    CHECK(value >= 0);
    made_machine_put(ONLINE, "0\n");
    made_machine_put(DEVICES "power/cpumask", "0-1\n"); /* a driver that moves nothing */
    REFUSES(PAPI_stop(es, &value), PAPI_ECLOST, "counted on 2 CPUs");
    REFUSES(PAPI_start(es), PAPI_ECLOST, "counted on 2 CPUs");
    made_machine_put(ONLINE, "0-1\n");
    OK(PAPI_start(es));
    OK(PAPI_stop(es, &value));
    test_drop(es);
}

/* A machine that is suspended, while sets count a thread, a CPU, and what is outside the cores. */
static void suspended_machine(void **state)
{
    long long value = -1;
    int es[3] = {PAPI_NULL, PAPI_NULL, PAPI_NULL};
    static const char *const where[] = {NULL, "on a whole CPU", "outside the cores"};
    (void)state;
    need_two_cpus();
    made_clock_suspended = 2500000000; /* before they start */
    for (int i = 0; i < 3; i++) {
        OK(PAPI_create_eventset(&es[i]));
        OK(PAPI_assign_eventset_component(es[i], i < 2 ? 0 : component()));
        if (i == 1)
            set_cpu(es[i], 0);
        OK(PAPI_add_named_event(es[i], i < 2 ? FAULTS : ENERGY));
    }
    for (int run = 0; run < 2; run++) {
        for (int i = 0; i < 3; i++) {
            OK(PAPI_start(es[i]));
            OK(PAPI_read(es[i], &value));
        }
        made_clock_suspended += 1000000;
        for (int i = 1; i < 3; i++) {
            REFUSES(PAPI_read(es[i], &value), PAPI_ECLOST, "the machine was suspended");
            REFUSES(PAPI_accum(es[i], &value), PAPI_ECLOST, where[i]);
            REFUSES(PAPI_stop(es[i], &value), PAPI_ECLOST, where[i]);
        }
        OK(PAPI_read(es[0], &value)); /* its threads were stopped before */
        OK(PAPI_stop(es[0], &value));
    }
    for (int i = 0; i < 3; i++) {
        OK(PAPI_start(es[i]));
        OK(PAPI_stop(es[i], &value));
        test_drop(es[i]);
    }
    made_clock_suspended = 0;
}

static void ask_pfm_for_all(void *unused)
{
    (void)unused;
    setenv("LIBPFM_FORCE_PMU", "snbep_unc_imc0", 1);
    test_init();
    static const char all[] = "snbep_unc_imc::UNC_M_CAS_COUNT:RD",
                      one[] = "snbep_unc_imc0::UNC_M_CAS_COUNT:RD";
    int code;
    const char *const names[] = {all, one};
    for (int i = 0; i < 2; i++) {
        int es = PAPI_NULL;
        OK(PAPI_query_event(test_code_of(names[i])));
        OK(PAPI_create_eventset(&es));
        opened = 0;
        OK(PAPI_add_named_event(es, names[i]));
        EQUAL(opened, i == 0 ? 4 : 2);
        EQUAL(opens[opened - 1].type, i == 0 ? MEMORY_1 : MEMORY);
        EQUAL(opens[opened - 1].cpu, 1);
        test_drop(es);
    }
    REFUSES(PAPI_event_name_to_code("snbep_unc_imc::NO_SUCH", &code), PAPI_ENOEVNT, "libpfm4");
    PAPI_shutdown();
}

static void of_pfm(void **state)
{
    (void)state;
    need_two_cpus();
    PAPI_shutdown();
    test_in_child(ask_pfm_for_all, NULL);
}

/* ---- refusals */

static void rights(void **state)
{
    (void)state;
    refused_with = EACCES;
    const PAPI_component_info_t *info = PAPI_get_component_info(component());
    EQUAL(info->disabled, 0);
    EQUAL(info->partially_disabled, PAPI_EPERM);
    CHECK(strstr(info->partially_disabled_reason, "perf_event_paranoid") != NULL);
    EQUAL(info->num_native_events, 2);
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    REFUSES(PAPI_add_named_event(es, ENERGY), PAPI_EPERM, "--cap-add=PERFMON");
    EQUAL(opened, 1);
    OK(PAPI_destroy_eventset(&es));
}

static void no_thread_and_no_core(void **state)
{
    PAPI_option_t option = {0};
    (void)state;
    NEED_SOFTWARE_EVENTS();
    need_rights();
    int es = test_set(ENERGY, NULL);
    REFUSES(PAPI_attach(es, (unsigned long)getpid()), PAPI_ECMP, "attached to a thread");
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    REFUSES(PAPI_set_opt(PAPI_INHERIT, &option), PAPI_ECMP, "inherited");
    REFUSES(PAPI_add_named_event(es, FAULTS), PAPI_ECNFLCT, "perf_event_uncore");
    test_drop(es);
    es = test_set(FAULTS, NULL);
    REFUSES(PAPI_add_named_event(es, ENERGY), PAPI_ECNFLCT, "perf_event_uncore");
    test_drop(es);
}

static int without_pmus(void **state)
{
    (void)state;
    PAPI_shutdown();
    made_machine_answer = uncore;
    if (made_machine_create() != 0)
        return -1;
    made_machine_put_pmu("core", CORES, NULL);
    test_init();
    return 0;
}

static void nothing_there(void **state)
{
    (void)state;
    const PAPI_component_info_t *info = PAPI_get_component_info(component());
    EQUAL(info->disabled, PAPI_ENOSUPP);
    CHECK(strstr(info->disabled_reason, "cpumask") != NULL);
    EQUAL(info->num_native_events, 0);
}

#define TWO(test) cmocka_unit_test_setup_teardown(test, two_packages, clean_up)
#define MADE(test) cmocka_unit_test_setup_teardown(test, set_up, clean_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: libpfm4 looks for PMUs once. */
        MADE(names_of_pfm),
        TWO(of_pfm),
        MADE(names),
        MADE(names_are_listed),
        MADE(names_that_are_wrong),
        MADE(counts_the_first_cpu),
        MADE(counts_the_named_cpu),
        MADE(counts_as_asked),
        MADE(rights),
        TWO(are_all_counted),
        TWO(are_chosen),
        TWO(have_masks_of_their_own),
        TWO(are_summed),
        TWO(are_listed_once),
        TWO(cpus_that_go),
        TWO(suspended_machine),
        MADE(no_thread_and_no_core),
        cmocka_unit_test_setup_teardown(nothing_there, without_pmus, clean_up),
    };
    setenv("LIBPFM_FORCE_PMU", "perf", 0); /* it would find this machine's own */
    return TEST_RUN(tests);
}
