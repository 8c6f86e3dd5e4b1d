/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of libpfm4: the kernel's software events, which it knows on every machine with perf.
 */
#include "testing.h"

#include "events/natives.h"
#include "papi.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEED_PERF()                                                                                          \
    do {                                                                                                     \
        if (!pfm_has_pmu(&machine, "perf"))                                                                  \
            SKIP("libpfm4 does not find the kernel's perf here");                                            \
    } while (0)

static struct event_tables machine = {.pmus.root = ""}, snapshot = {.pmus.root = "/snapshot"};

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
    int domain;
} names[] = {
    {"perf::PAGE-FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0},
    {"PAGE-FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0},
    {"perf::PAGE-FAULTS:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, PAPI_DOM_USER},
    {"perf::PAGE-FAULTS:u=1", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, PAPI_DOM_USER},
    {"perf::PAGE-FAULTS:k", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, PAPI_DOM_KERNEL},
    {"perf::PAGE-FAULTS:u:k", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, PAPI_DOM_USER | PAPI_DOM_KERNEL},
    {"perf::TASK-CLOCK", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0},
    {"perf::CONTEXT-SWITCHES:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, PAPI_DOM_USER},
    {"perf::PERF_COUNT_HW_INSTRUCTIONS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0},
    {"perf::PERF_COUNT_HW_INSTRUCTIONS:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PAPI_DOM_USER},
    {"perf::PERF_COUNT_HW_CACHE_L1D:READ:MISS", PERF_TYPE_HW_CACHE,
     PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, 0},
};

/* The place of an event in the source, by its name, which may lack a mask; -1: it is not listed. */
static int place_of(struct event_tables *tables, const char *name)
{
    struct event_encoding encoding = {.place = -1};
    pfm_source.find(tables, name, &encoding, NULL);
    return encoding.place;
}

static void names_are_encoded(void **state)
{
    (void)state;
    NEED_PERF();
    for (size_t i = 0; i < COUNT(names); i++) {
        struct event_encoding got;
        struct reason why = {0};
        memset(&got, 0xa5, sizeof got);
        int code = pfm_source.find(&machine, names[i].name, &got, &why);
        if (code != PAPI_OK)
            print_error("%s: %s\n", names[i].name, why.text);
        assert_int_equal(code, PAPI_OK);
        assert_int_equal(got.component, 0);
        assert_int_equal(got.type, names[i].type);
        assert_true(got.config == names[i].config);
        assert_true(got.config1 == 0 && got.config2 == 0);
        /* libpfm4 leaves the hypervisor in on some machines, and under valgrind. */
        assert_int_equal(got.domain & (PAPI_DOM_USER | PAPI_DOM_KERNEL), names[i].domain);
    }
}

/* Codes of the architecture reference manuals and of the makers' lists of events. */
static void codes_of_cores_are_known(void **state)
{
    static const struct {
        const char *name;
        struct core_id id;
        uint64_t config;
    } known[] = {
        {"skx::INST_RETIRED", {"GenuineIntel", 6, 0x55, 4}, 0xc0},
        {"skx::UNHALTED_REFERENCE_CYCLES", {"GenuineIntel", 6, 0x55, 0}, 0x300},
        {"clx::BR_MISP_RETIRED", {"GenuineIntel", 6, 0x55, 7}, 0xc5},
        {"amd64_fam17h_zen2::RETIRED_INSTRUCTIONS", {"AuthenticAMD", 0x17, 0x31, 0}, 0xc0},
        {"arm_n1::INST_RETIRED", {"", 0x41, 0xd0c, 0}, 0x08},
        {"arm_thunderx2::CPU_CYCLES", {"", 0x43, 0x0af, 0}, 0x11},
        {"power8::PM_RUN_CYC", {"POWER", 0, 0x4c, 0}, 0x600f4},
        {"power9::PM_RUN_INST_CMPL", {"POWER", 0, 0x4e, 0}, 0x400fa},
        {"INST_RETIRED", {"GenuineIntel", 6, 0x55, 4}, 0xc0},
        {"UNHALTED_REFERENCE_CYCLES", {"GenuineIntel", 6, 0x55, 7}, 0x300}, /* ix86arch has another */
        {"CYCLES_NOT_IN_HALT", {"AuthenticAMD", 0x19, 0x01, 0}, 0x76},
        {"INST_RETIRED", {"", 0x41, 0xd0c, 0}, 0x08},
        {"PM_RUN_INST_CMPL", {"POWER", 0, 0x80, 0}, 0x400fa},
    };
    static const struct {
        const char *name;
        struct core_id id;
    } unknown[] = {
        {"skx::INST_RETIRED", {"GenuineIntel", 6, 0x55, 5}},
        {"clx::INST_RETIRED", {"GenuineIntel", 6, 0x55, 4}},
        {"skx::INST_RETIRED", {"GenuineIntel", 6, 0x4e, 3}},
        {"skx::INST_RETIRED", {"AuthenticAMD", 6, 0x55, 4}},
        {"skx::INST_RETIRED:u", {"GenuineIntel", 6, 0x55, 4}},
        {"skx::INST", {"GenuineIntel", 6, 0x55, 4}},
        {"skx::", {"GenuineIntel", 6, 0x55, 4}},
        {"::INST_RETIRED", {"GenuineIntel", 6, 0x55, 4}},
        {"INST_RETIRED", {"GenuineIntel", 6, 0x0f, 4}},
        {"INST_RETIRED:u", {"GenuineIntel", 6, 0x55, 4}},
        {"inst_retired", {"GenuineIntel", 6, 0x55, 4}},
        {"RETIRED_INSTRUCTIONS", {"GenuineIntel", 6, 0x55, 4}},
        {"CPU_CYCLES", {"POWER", 0, 0x4e, 0}},
        {"PM_RUN_CYC", {"", 0x4e, 0x4e, 0}},
        {"PAGE-FAULTS", {"GenuineIntel", 6, 0x55, 4}},
        {"", {"GenuineIntel", 6, 0x55, 4}},
        {"arm_n1::INST_RETIRED", {"", 0x41, 0xd40, 0}},
        {"skx::CYCLE_ACTIVITY", {"GenuineIntel", 6, 0x55, 4}}, /* needs a mask */
    };
    uint64_t config;
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        assert_true(core_event_code(known[i].name, &known[i].id, &config));
        assert_true(config == known[i].config);
    }
    for (size_t i = 0; i < COUNT(unknown); i++)
        assert_false(core_event_code(unknown[i].name, &unknown[i].id, &config));
    assert_false(core_event(&snapshot, "skx::INST_RETIRED", NULL)); /* another machine's files */
}

/* libpfm4 is asked for all that the model does not tell. */
static void the_model_tells_the_cores(void **state)
{
    struct pmu pmu[2] = {{.name = "cpu", .core = true}, {.name = "cpu_atom", .core = true}};
    struct event_tables tables = {.pmus = {.root = "", .pmu = pmu, .n = 1, .read = true, .cores_read = true}};
    struct event_encoding encoding;
    const char *name = core_pmu_name(NULL);
    (void)state;
    assert_string_equal(core_pmu_name(&(struct core_id){"GenuineIntel", 6, 0x55, 4}), "skx");
    assert_string_equal(core_pmu_name(&(struct core_id){"POWER", 0, 0x4b, 0}), "power8");
    assert_null(core_pmu_name(&(struct core_id){"GenuineIntel", 6, 0x97, 2})); /* hybrid */
    assert_null(core_pmu_name(&(struct core_id){"POWER", 0, 0x82, 0}));
    if (name == NULL || pfm_has_variables())
        SKIP("this processor's model is not in the table, or a variable directs libpfm4");
    assert_string_equal(core_pmu(&tables), name);
    tables.pmus.n = 2;
    assert_null(core_pmu(&tables));
    pmu[1].core = false;
    assert_string_equal(core_pmu(&tables), name);
    pmu[0].one_core_type = true;
    assert_null(core_pmu(&tables));
    pmu[0].one_core_type = false;
    tables.pmus.root = "/snapshot";
    assert_null(core_pmu(&tables));
    tables.pmus.root = NULL;
    assert_string_equal(core_pmu(&tables), name);
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    assert_null(core_pmu(&tables));
    for (int i = 0; i < 2; i++, pmu[0].one_core_type = true, unsetenv("LIBPFM_ENCODE_INACTIVE"))
        assert_false(core_event(&tables, "skx::INST_RETIRED", &encoding) ||
                     core_event(&tables, "INST_RETIRED", &encoding) ||
                     core_event(&tables, "PM_RUN_CYC", &encoding) ||
                     core_event(&tables, "CPU_CYCLES", &encoding));
    assert_null(tables.pfm);
}

static void names_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        ":",
        "::",
        "perf::",
        "perf::NO-SUCH-EVENT",
        "nopmu::PAGE-FAULTS",
        "NO-SUCH-EVENT",
        "perf::PAGE-FAULTS:nosuch",
        "perf::PAGE-FAULTS:u=maybe",
        "%s%n%s",
    };
    (void)state;
    NEED_PERF();
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct event_encoding encoding;
        struct reason why = {0};
        char part[64];
        snprintf(part, sizeof part, "libpfm4 on \"%s\": ", bad[i]);
        REFUSED(pfm_source.find(&machine, bad[i], &encoding, &why), PAPI_ENOEVNT, &why, part);
        assert_int_equal(pfm_source.find(&machine, bad[i], &encoding, NULL), PAPI_ENOEVNT);
    }
    assert_int_equal(place_of(&machine, "perf::NO-SUCH-EVENT"), -1);
    char *longest = test_text(100000, "perf::");
    struct event_encoding encoding;
    struct reason why = {0};
    assert_int_equal(pfm_source.find(&machine, longest, &encoding, &why), PAPI_ENOEVNT);
    free(longest);
}

static void pmus(void **state)
{
    (void)state;
    assert_false(pfm_has_pmu(&machine, "no such PMU"));
    assert_false(pfm_has_pmu(&machine, ""));
    const char *name = NULL;
    int n = 0, perf = 0;
    for (int pmu = -1, next; (next = pfm_next_pmu(&machine, pmu, &name)) >= 0; pmu = next) {
        assert_true(next > pmu);
        assert_true(pfm_has_pmu(&machine, name));
        perf += strcmp(name, "perf") == 0;
        n++;
    }
    assert_int_equal(perf, pfm_has_pmu(&machine, "perf"));
    /* A snapshot of another machine has none of the processor's PMUs that libpfm4 finds here. */
    for (int pmu = -1, next; (next = pfm_next_pmu(&snapshot, pmu, &name)) >= 0; pmu = next)
        assert_true(getenv("LIBPFM_FORCE_PMU") != NULL || strncmp(name, "perf", 4) == 0);
    assert_int_equal(perf, pfm_has_pmu(&snapshot, "perf"));
    assert_true(n >= perf);
    char text[16];
    unsigned major, minor;
    pfm_version_text(&machine, text, sizeof text);
    assert_int_equal(sscanf(text, "%u.%u", &major, &minor), 2);
    assert_int_equal(major, 4);
}

#define DEPRECATED "amd64_fam17h"

/* libpfm4 finds events of such a PMU only after its name. */
static void events_of_a_deprecated_pmu(void **state)
{
    struct event_encoding plain, named;
    struct reason why = {0};
    (void)state;
    if (!pfm_has_pmu(&machine, DEPRECATED))
        SKIP("this libpfm4 has no deprecated PMU of that name");
    assert_int_equal(pfm_source.find(&machine, "RETIRED_INSTRUCTIONS:u", &plain, &why), PAPI_OK);
    assert_int_equal(pfm_source.find(&machine, DEPRECATED "::RETIRED_INSTRUCTIONS:u", &named, &why), PAPI_OK);
    assert_true(plain.config != 0 && plain.config == named.config);
    assert_int_equal(plain.domain, PAPI_DOM_USER);
    int place = place_of(&machine, "RETIRED_INSTRUCTIONS:u");
    assert_true(place >= 0 && place == place_of(&machine, DEPRECATED "::RETIRED_INSTRUCTIONS"));
    assert_int_equal(pfm_source.find(&machine, "RETIRED_NOTHING", &plain, &why), PAPI_ENOEVNT);
}

/* Each event is listed once; an alias is found where its original is. */
static void events_are_listed(void **state)
{
    (void)state;
    NEED_PERF();
    char name[PAPI_2MAX_STR_LEN], text[1024];
    int n = 0, page_faults = 0;
    for (int place = -1; (place = pfm_source.next(&machine, place, name, sizeof name)) >= 0; n++) {
        assert_non_null(strstr(name, "::"));
        if (strcmp(name, "perf::PERF_COUNT_SW_PAGE_FAULTS") == 0) {
            page_faults++;
            assert_int_equal(place_of(&machine, name), place);
        }
        assert_int_equal(pfm_source.describe(&machine, "", place, -1, text, sizeof text, NULL), PAPI_OK);
        assert_true(text[0] != '\0');
    }
    assert_true(n > 10);
    assert_int_equal(page_faults, 1);
    assert_int_equal(pfm_source.describe(&machine, "", -1, -1, text, sizeof text, NULL), PAPI_ENOEVNT);
    assert_string_equal(text, "");
}

static void masks_are_listed(void **state)
{
    (void)state;
    NEED_PERF();
    static const char event[] = "perf::PERF_COUNT_HW_CACHE_L1D";
    char name[PAPI_2MAX_STR_LEN], text[1024];
    int place = place_of(&machine, event), n = 0, read = 0;
    assert_true(place >= 0);
    for (int mask = -1, next; (next = pfm_source.next_mask(&machine, place, mask, name, sizeof name)) >= 0;
         mask = next) {
        assert_true(next > mask);
        assert_int_equal(strncmp(name, event, sizeof event - 1), 0);
        assert_int_equal(name[sizeof event - 1], ':');
        assert_int_equal(pfm_source.describe(&machine, "", place, next, text, sizeof text, NULL), PAPI_OK);
        assert_true(text[0] != '\0');
        read += strcmp(name, "perf::PERF_COUNT_HW_CACHE_L1D:READ") == 0;
        n++;
    }
    assert_int_equal(read, 1);
    assert_int_equal(n, 5); /* READ WRITE PREFETCH, ACCESS MISS */
    assert_int_equal(pfm_source.next_mask(&machine, -1, -1, name, sizeof name), -1);
    place = place_of(&machine, "perf::PAGE-FAULTS");
    assert_int_equal(pfm_source.next_mask(&machine, place, -1, name, sizeof name), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_encoded),
        cmocka_unit_test(codes_of_cores_are_known),
        cmocka_unit_test(the_model_tells_the_cores),
        cmocka_unit_test(names_are_refused),
        cmocka_unit_test(pmus),
        cmocka_unit_test(events_are_listed),
        cmocka_unit_test(masks_are_listed),
    };
    const struct CMUnitTest forced[] = {cmocka_unit_test(events_of_a_deprecated_pmu)};
    const char *pmu = getenv("LIBPFM_FORCE_PMU");
    if (pmu != NULL && strcmp(pmu, DEPRECATED) == 0)
        return TEST_RUN(forced);
    return TEST_RUN(tests);
}
