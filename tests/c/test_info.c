/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names and codes, enumeration, descriptions of events, components and the machine.
 */
#include "testing.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- presets */

enum { PRESETS = PAPI_END & ~PAPI_PRESET_MASK };

static int compare_codes(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void check_unique(int *codes, int n)
{
    qsort(codes, (size_t)n, sizeof *codes, compare_codes);
    for (int i = 1; i < n; i++)
        CHECK(codes[i] != codes[i - 1]);
}

static void check_preset(int code)
{
    char name[PAPI_MAX_STR_LEN];
    PAPI_event_info_t info;
    int back = 0;
    memset(&info, 0x55, sizeof info);
    OK(PAPI_event_code_to_name(code, name));
    CHECK(strncmp(name, "PAPI_", 5) == 0);
    OK(PAPI_event_name_to_code(name, &back));
    EQUAL(back, code);
    OK(PAPI_get_event_info(code, &info));
    EQUAL((int)info.event_code, code);
    EQUAL(strcmp(info.symbol, name), 0);
    CHECK(info.short_descr[0] != 0 && info.long_descr[0] != 0);
    CHECK(info.count <= PAPI_MAX_INFO_TERMS);
    CHECK((info.count > 0) == (PAPI_query_event(code) == PAPI_OK));
    if (info.count == 0)
        CHECK(info.note[0] != 0); /* why not */
    for (unsigned i = 0; i < info.count; i++) {
        CHECK(info.name[i][0] != 0);
        CHECK(info.code[i] & (unsigned)PAPI_NATIVE_MASK);
        OK(PAPI_query_event((int)info.code[i]));
    }
}

/* The answer for each preset is the same, whether the tables of presets are read for it or not. Where the
 * machine has no counters, libpfm4 is not loaded for it. This test is the first: later it is there. */
static void presets_before_their_tables(void **state)
{
    static char before[PRESETS][PAPI_HUGE_STR_LEN];
    int code[PRESETS];
    PAPI_event_info_t info;
    (void)state;
    PAPI_shutdown();
    test_init();
    for (int i = 0; i < PRESETS; i++) {
        code[i] = PAPI_query_event(PAPI_PRESET_MASK | i);
        snprintf(before[i], sizeof before[i], "%s", code[i] == PAPI_OK ? "" : PAPI_strerror(code[i]));
    }
    bool was_loaded = dlopen("libpfm.so.4", RTLD_LAZY | RTLD_NOLOAD) != NULL;
    bool plain = getenv("PAPI_CSV_EVENT_FILE") == NULL && getenv("PAPI_PERFMON_EVENT_FILE") == NULL &&
                 getenv("PAPI_USER_EVENTS_FILE") == NULL;
    if (plain && PAPI_get_component_info(0)->disabled == 0 && PAPI_num_cmp_hwctrs(0) == 0)
        CHECK(!was_loaded);
    OK(PAPI_get_event_info(PAPI_TOT_INS, &info)); /* which reads them */
    for (int i = 0; i < PRESETS; i++) {
        EQUAL(PAPI_query_event(PAPI_PRESET_MASK | i), code[i]);
        EQUAL(strcmp(code[i] == PAPI_OK ? "" : PAPI_strerror(code[i]), before[i]), 0);
    }
}

static void every_preset(void **state)
{
    int codes[PAPI_MAX_PRESET_EVENTS], n = 0, code = PAPI_PRESET_MASK;
    (void)state;
    test_init();
    do {
        CHECK(n < PAPI_MAX_PRESET_EVENTS);
        codes[n++] = code;
        check_preset(code);
    } while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
    EQUAL(n, PRESETS);
    for (int i = 0; i < n; i++)
        EQUAL(codes[i], PAPI_PRESET_MASK | i);
}

static void preset_codes_of_the_header(void **state)
{
    (void)state;
    test_init();
    EQUAL(test_code_of("PAPI_L1_DCM"), PAPI_L1_DCM);
    EQUAL(test_code_of("PAPI_TOT_INS"), PAPI_TOT_INS);
    EQUAL(test_code_of("PAPI_TOT_CYC"), PAPI_TOT_CYC);
    EQUAL(test_code_of("PAPI_FP_INS"), PAPI_FP_INS);
    EQUAL(test_code_of("PAPI_FP_OPS"), PAPI_FP_OPS);
    EQUAL(test_code_of("PAPI_BR_MSP"), PAPI_BR_MSP);
    EQUAL(test_code_of("PAPI_REF_CYC"), PAPI_REF_CYC);
    EQUAL(test_code_of("PAPI_VEC_HP"), PAPI_VEC_HP);
    EQUAL(test_code_of("PAPI_SP_OPS"), PAPI_SP_OPS);
}

/* Lists events from code on, as programs do without PAPI_ENUM_FIRST. Returns their number. */
static int walk(int code, int first, int modifier, int *codes, int most)
{
    int n = 0, error = PAPI_enum_event(&code, first);
    while (error == PAPI_OK) {
        CHECK(n < most);
        codes[n++] = code;
        error = PAPI_enum_event(&code, modifier);
    }
    EQUAL(error, PAPI_ENOEVNT);
    return n;
}

/* Available is what counts. */
static void available_presets(void **state)
{
    int codes[PAPI_MAX_PRESET_EVENTS], n = 0, counted = 0, code = PAPI_PRESET_MASK;
    (void)state;
    test_init();
    if (PAPI_query_event(code) == PAPI_OK)
        codes[n++] = code; /* the enumeration steps on from the first preset */
    while (PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK) {
        CHECK(n < PAPI_MAX_PRESET_EVENTS);
        codes[n++] = code;
    }
    for (int i = 0; i < n; i++) {
        int es = PAPI_NULL;

        OK(PAPI_query_event(codes[i]));
        OK(PAPI_create_eventset(&es));
        OK(PAPI_add_event(es, codes[i]));
        OK(PAPI_start(es));
        test_drop(es);
    }
    for (int i = 0; i < PRESETS; i++)
        counted += PAPI_query_event(PAPI_PRESET_MASK | i) == PAPI_OK;
    EQUAL(n, counted);
    EQUAL(PAPI_get_component_info(0)->num_preset_events, counted);
    EQUAL(walk(PAPI_PRESET_MASK, PAPI_ENUM_FIRST, PAPI_ENUM_EVENTS, codes, PAPI_MAX_PRESET_EVENTS), PRESETS);
    EQUAL(codes[0], PAPI_PRESET_MASK);
    check_unique(codes, PRESETS);
}

/* ---- native events */

enum { MOST_NATIVES = 200000 };

static void check_native(int code)
{
    char name[PAPI_MAX_STR_LEN];
    PAPI_event_info_t info;
    int back = 0, error;
    CHECK(code & PAPI_NATIVE_MASK);
    error = PAPI_event_code_to_name(code, name);
    if (error == PAPI_EBUF)
        return;
    EQUAL(error, PAPI_OK);
    OK(PAPI_event_name_to_code(name, &back));
    if (back != code)
        fprintf(stderr, "# %s is 0x%x and 0x%x\n", name, (unsigned)code, (unsigned)back);
    EQUAL(back, code);
    OK(PAPI_get_event_info(code, &info));
    EQUAL((int)info.event_code, code);
    CHECK(info.symbol[0] != 0);
    EQUAL(info.component_index, PAPI_get_event_component(code));
}

static void every_native_event(void **state)
{
    int *codes = malloc(MOST_NATIVES * sizeof *codes), n;
    (void)state;
    CHECK(codes != NULL);
    test_init();
    n = walk(PAPI_NATIVE_MASK, PAPI_ENUM_FIRST, PAPI_ENUM_EVENTS, codes, MOST_NATIVES);
    printf("# %d native events\n", n);
    CHECK(n > 5);
    int listed = 0, of_enabled = 0;
    for (int c = 0; c < PAPI_num_components(); c++)
        listed += PAPI_get_component_info(c)->num_native_events;
    for (int i = 0; i < n; i++)
        of_enabled += PAPI_get_component_info(PAPI_get_event_component(codes[i]))->disabled == 0;
    CHECK(listed >= of_enabled);
    for (int i = 0; i < n; i++)
        check_native(codes[i]);
    check_unique(codes, n);
    free(codes);
}

static void every_mask(void **state)
{
    int *codes = malloc(MOST_NATIVES * sizeof *codes), n, masks = 0;
    (void)state;
    CHECK(codes != NULL);
    test_init();
    n = walk(PAPI_NATIVE_MASK, PAPI_ENUM_FIRST, PAPI_ENUM_EVENTS, codes, MOST_NATIVES);
    for (int i = 0; i < n && i < 2000; i++) {
        int code = codes[i], steps = 0;

        while (PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASKS) == PAPI_OK) {
            CHECK(code != codes[i]);
            CHECK(++steps < 10000);
            check_native(code);
        }
        masks += steps;
    }
    printf("# %d masks\n", masks);
    free(codes);
}

static void by_component(void **state)
{
    int *all = malloc(MOST_NATIVES * sizeof *all), n, total = 0;
    (void)state;
    CHECK(all != NULL);
    test_init();
    n = walk(PAPI_NATIVE_MASK, PAPI_ENUM_FIRST, PAPI_ENUM_EVENTS, all, MOST_NATIVES);
    for (int c = 0; c < PAPI_num_components(); c++) {
        int code = PAPI_NATIVE_MASK, error = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, c);

        for (; error == PAPI_OK; error = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, c)) {
            EQUAL(PAPI_get_event_component(code), c);
            CHECK(++total <= MOST_NATIVES);
        }
        EQUAL(error, PAPI_ENOEVNT);
    }
    EQUAL(total, n);
    free(all);
}

static void software_events_have_names(void **state)
{
    static const char *const names[] = {FAULTS, MINOR, MAJOR, CLOCK, SWITCHES, MIGRATIONS};
    char name[PAPI_MAX_STR_LEN];
    PAPI_event_info_t info;

    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int code = test_code_of(names[i]);

        if (PAPI_query_event(code) != PAPI_OK) /* of the kernel: not for every user */
            CHECK(PAPI_query_event(code) == PAPI_EPERM && i >= 4);
        OK(PAPI_event_code_to_name(code, name));
        EQUAL(strcmp(name, names[i]), 0);
        EQUAL(test_code_of(names[i]), code);
        OK(PAPI_get_event_info(code, &info));
        CHECK(info.long_descr[0] != 0);
        EQUAL(info.component_index, 0);
        EQUAL(info.value_type, PAPI_VALUETYPE_RUNNING_SUM);
    }
}

/* ---- the machine */

static void components(void **state)
{
    const PAPI_component_info_t *info;
    int n;
    (void)state;
    test_init();
    n = PAPI_num_components();
    CHECK(n >= 1);
    EQUAL(PAPI_get_component_index("perf_event"), 0);
    for (int c = 0; c < n; c++) {
        info = PAPI_get_component_info(c);
        CHECK(info != NULL);
        CHECK(info == PAPI_get_component_info(c)); /* pointers are kept by callers */
        EQUAL(info->CmpIdx, c);
        CHECK(info->name[0] != 0 && info->description[0] != 0);
        EQUAL(PAPI_get_component_index(info->name), c);
        CHECK(info->disabled == 0 || info->disabled_reason[0] != 0);
        CHECK(info->partially_disabled == 0 || info->partially_disabled_reason[0] != 0);
        EQUAL(info->num_cntrs, PAPI_num_cmp_hwctrs(c));
        CHECK(info->num_cntrs >= 0);
        CHECK(info->num_mpx_cntrs == 0 || info->num_mpx_cntrs >= info->num_cntrs); /* 0: no multiplexing */
        CHECK((info->default_domain & info->available_domains) == info->default_domain);
        CHECK(info->available_granularities & info->default_granularity);
    }
    EQUAL(PAPI_get_component_info(PAPI_get_component_index("io"))->default_granularity, PAPI_GRN_PROC);
    EQUAL(PAPI_get_component_info(PAPI_get_component_index("net"))->default_granularity, PAPI_GRN_SYS);
    info = PAPI_get_component_info(0);
    EQUAL(info->default_granularity, PAPI_GRN_THR);
    EQUAL(info->default_domain, PAPI_DOM_USER);
    EQUAL(PAPI_num_hwctrs(), info->num_cntrs);
    if (info->num_cntrs == 0) /* this machine shows none: somebody has to be told */
        CHECK(info->disabled_reason[0] != 0 || info->partially_disabled_reason[0] != 0);
}

static void ask_before_initialisation(void *argument)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(0);
    (void)argument;
    CHECK(info != NULL);
    EQUAL(strcmp(info->name, "perf_event"), 0);
    CHECK(info->version[0] != 0 && info->description[0] != 0);
    EQUAL(info->initialized, 0);
    EQUAL(info->disabled, 0);
    OK(PAPI_disable_component(PAPI_num_components() - 1));
    EQUAL(PAPI_get_component_info(PAPI_num_components() - 1)->disabled, PAPI_ECMP_DISABLED);
    test_init();
    CHECK(PAPI_get_component_info(0) == info);
    EQUAL(info->initialized, 1);
    EQUAL(PAPI_get_component_info(PAPI_num_components() - 1)->disabled, PAPI_ECMP_DISABLED);
}

static void before_initialisation(void **state)
{
    (void)state;
    PAPI_shutdown();
    test_in_child(ask_before_initialisation, NULL);
}

static void check_switched_off(void)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    CODE(PAPI_add_named_event(es, FAULTS), PAPI_ECMP_DISABLED);
    EQUAL(PAPI_num_events(es), 0);
    CHECK(PAPI_get_component_info(0)->disabled != 0);
    CHECK(PAPI_get_component_info(0)->disabled_reason[0] != 0);
    test_drop(es);
}

static void switched_off_until_shutdown(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    REFUSES(PAPI_disable_component(0), PAPI_ENOINIT, "after PAPI_shutdown");
    test_drop(test_set(FAULTS, NULL));
    PAPI_shutdown();
    OK(PAPI_disable_component(0));
    test_init();
    check_switched_off();
    PAPI_shutdown();
    test_init();
    EQUAL(PAPI_get_component_info(0)->disabled, 0);
    test_drop(test_set(FAULTS, NULL));
}

/* Component sysdetect, where programs of PAPI 7 look for devices: it has no events, and questions about it
 * are answered. */
static void devices_have_a_component(void **state)
{
    void *handle = NULL;
    int count = -1, code = PAPI_NATIVE_MASK, cidx, es = PAPI_NULL;
    (void)state;
    cidx = PAPI_get_component_index("sysdetect");
    CHECK(cidx >= 0);
    const PAPI_component_info_t *info = PAPI_get_component_info(cidx);
    CHECK(info != NULL && strcmp(info->name, "sysdetect") == 0);
    EQUAL(info->disabled, 0);
    EQUAL(info->num_native_events, 0);
    EQUAL(info->num_cntrs, 0);
    CODE(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cidx), PAPI_ENOEVNT);
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, cidx));
    CODE(PAPI_add_named_event(es, "sysdetect:::nothing"), PAPI_ENOEVNT);
    CODE(PAPI_start(es), PAPI_EINVAL);
    test_drop(es);
    OK(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU, &handle));
    OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, &count));
    EQUAL(count, 1);
}

static int domain_of(int es)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.domain.eventset = es;
    PAPI_get_opt(PAPI_DOMAIN, &option);
    return option.domain.domain;
}

static void defaults_are_for_later_sets(void **state)
{
    int first = PAPI_NULL, second = PAPI_NULL;
    (void)state;
    test_init();
    OK(PAPI_set_cmp_domain(PAPI_DOM_USER | PAPI_DOM_KERNEL, 0));
    EQUAL(PAPI_get_opt(PAPI_DEFDOM, NULL), PAPI_DOM_USER | PAPI_DOM_KERNEL);
    OK(PAPI_create_eventset(&first));
    OK(PAPI_set_cmp_domain(PAPI_DOM_USER, 0));
    OK(PAPI_create_eventset(&second));
    EQUAL(domain_of(first), PAPI_DOM_USER | PAPI_DOM_KERNEL);
    EQUAL(domain_of(second), PAPI_DOM_USER);
    OK(PAPI_set_cmp_granularity(PAPI_GRN_THR, 0));
    CODE(PAPI_set_cmp_granularity(PAPI_GRN_SYS, 0), PAPI_ECMP);
    EQUAL(PAPI_get_opt(PAPI_DEFGRN, NULL), PAPI_GRN_THR);
    test_drop(first);
    test_drop(second);
}

/* The text of a preset that does not count says what is missing. */
static void uncounted_presets_say_why(void **state)
{
    (void)state;
    test_init();
    for (int i = 0; i < PRESETS; i++) {
        int error = PAPI_query_event(PAPI_PRESET_MASK | i);

        if (error == PAPI_OK)
            continue;
        /* A processor may have the events of a preset, and fewer counters than they take. */
        CHECK(error == PAPI_ENOEVNT || error == PAPI_EPERM || error == PAPI_ECMP_DISABLED ||
              (error == PAPI_ECNFLCT && PAPI_num_hwctrs() > 0));
        CHECK(strchr(PAPI_strerror(error), ':') != NULL); /* the code's text, and the reason */
    }
}

static void check_caches(const PAPI_mh_info_t *mh)
{
    CHECK(mh->levels >= 0 && mh->levels <= PAPI_MAX_MEM_HIERARCHY_LEVELS);
    for (int level = 0; level < mh->levels; level++)
        for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
            const PAPI_mh_cache_info_t *cache = &mh->level[level].cache[i];

            if (PAPI_MH_CACHE_TYPE(cache->type) == PAPI_MH_TYPE_EMPTY)
                continue;
            CHECK(cache->size >= 0); /* 0: there is one, and the machine does not tell */
            CHECK(cache->line_size >= 0 && cache->associativity >= 0);
            if (cache->line_size > 0)
                EQUAL(cache->num_lines, cache->size / cache->line_size);
        }
}

static void hardware(void **state)
{
    const PAPI_hw_info_t *info;
    (void)state;
    test_init();
    info = PAPI_get_hardware_info();
    CHECK(info != NULL);
    CHECK(info == PAPI_get_hardware_info());
    CHECK(info->totalcpus >= 1 && info->totalcpus >= sysconf(_SC_NPROCESSORS_ONLN));
    CHECK(info->ncpu >= 1 && info->ncpu <= info->totalcpus);
    CHECK(info->nnodes >= 1 && info->sockets >= 1 && info->cores >= 1 && info->threads >= 1);
    CHECK(info->threads * info->cores <= info->totalcpus * info->sockets);
    CHECK(info->vendor_string[0] != 0 && info->model_string[0] != 0);
    CHECK(info->vendor >= 0);
    CHECK(info->mhz >= 0 && info->cpu_max_mhz >= info->cpu_min_mhz);
    CHECK(info->clock_mhz > 0);
    check_caches(&info->mem_hierarchy);
}

static void options(void **state)
{
    PAPI_option_t option;
    (void)state;
    test_init();
    memset(&option, 0, sizeof option);
    EQUAL(PAPI_get_opt(PAPI_LIB_VERSION, NULL), PAPI_VERSION);
    EQUAL(PAPI_get_opt(PAPI_MAX_HWCTRS, NULL), PAPI_num_hwctrs());
    EQUAL(PAPI_get_cmp_opt(PAPI_MAX_HWCTRS, NULL, 0), PAPI_num_hwctrs());
    EQUAL(PAPI_get_opt(PAPI_MAX_MPX_CTRS, NULL), PAPI_get_component_info(0)->num_mpx_cntrs);
    EQUAL(PAPI_get_opt(PAPI_MAX_CPUS, NULL), PAPI_get_hardware_info()->totalcpus);
    CHECK(PAPI_get_opt(PAPI_CLOCKRATE, NULL) >= 0);
    EQUAL(PAPI_get_opt(PAPI_DEFDOM, NULL), PAPI_DOM_USER);
    EQUAL(PAPI_get_opt(PAPI_DEFGRN, NULL), PAPI_GRN_THR);
    OK(PAPI_get_opt(PAPI_HWINFO, &option));
    CHECK(option.hw_info == PAPI_get_hardware_info());
    OK(PAPI_get_opt(PAPI_COMPONENTINFO, &option));
    CHECK(option.cmp_info == PAPI_get_component_info(0));
    OK(PAPI_get_opt(PAPI_DEBUG, &option));
    EQUAL(option.debug.level, PAPI_QUIET);
}

/* ---- error texts */

static void error_texts(void **state)
{
    char text[PAPI_MAX_STR_LEN], small[8];
    (void)state;
    test_init();
    for (int code = 0; code > -PAPI_NUM_ERRORS; code--) {
        CHECK(PAPI_strerror(code) != NULL && PAPI_strerror(code)[0] != 0);
        for (int other = 0; other > code; other--)
            CHECK(strcmp(PAPI_strerror(code), PAPI_strerror(other)) != 0 || code == other);
    }
    OK(PAPI_perror_string(PAPI_ENOEVST, text, sizeof text));
    EQUAL(strcmp(text, PAPI_strerror(PAPI_ENOEVST)), 0);
    memset(small, 'x', sizeof small);
    OK(PAPI_perror_string(PAPI_ENOEVST, small, 5)); /* cut, and ended */
    EQUAL(strncmp(small, text, 4), 0);
    EQUAL(small[4], 0);
    EQUAL(small[5], 'x');
    OK(PAPI_perror_string(PAPI_ENOEVST, small, 1));
    EQUAL(small[0], 0);
}

/* The reason is that of the thread's last error; calls that succeed leave it. */
static void reasons_stay(void **state)
{
    char reason[PAPI_HUGE_STR_LEN];
    (void)state;
    test_init();
    CODE(PAPI_query_named_event("perf::NO-SUCH-EVENT"), PAPI_ENOEVNT);
    snprintf(reason, sizeof reason, "%s", PAPI_strerror(PAPI_ENOEVNT));
    CHECK(strstr(reason, "NO-SUCH-EVENT") != NULL);
    CHECK(PAPI_num_components() >= 1);
    CHECK(PAPI_get_component_info(0) != NULL);
    EQUAL(strcmp(PAPI_strerror(PAPI_ENOEVNT), reason), 0);
    CHECK(strstr(PAPI_strerror(PAPI_EINVAL), "NO-SUCH-EVENT") == NULL);
    CODE(PAPI_query_event(0), PAPI_EINVAL);
    CHECK(strstr(PAPI_strerror(PAPI_ENOEVNT), "NO-SUCH-EVENT") == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_before_their_tables),
        cmocka_unit_test(every_preset),
        cmocka_unit_test(preset_codes_of_the_header),
        cmocka_unit_test(available_presets),
        cmocka_unit_test(every_native_event),
        cmocka_unit_test(every_mask),
        cmocka_unit_test(by_component),
        cmocka_unit_test(software_events_have_names),
        cmocka_unit_test(components),
        cmocka_unit_test(before_initialisation),
        cmocka_unit_test(switched_off_until_shutdown),
        cmocka_unit_test(devices_have_a_component),
        cmocka_unit_test(defaults_are_for_later_sets),
        cmocka_unit_test(uncounted_presets_say_why),
        cmocka_unit_test(hardware),
        cmocka_unit_test(options),
        cmocka_unit_test(error_texts),
        cmocka_unit_test(reasons_stay),
    };

    return TEST_RUN(tests);
}
