/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of native events: codes, names and the order of enumeration. The kernel's PMU is a folder
 * of files; what libpfm4 lists is this machine's.
 */
#include "testing.h"

#include "events/natives.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define DEVICES "sys/bus/event_source/devices/"

static const char *root;
static struct event_tables machine;

/* A component with events of its own, in place of the library's. */
static int works;

/* The place of an event in the source, by its name, which may lack a mask; -1: it is not listed. */
static int place_of(struct event_tables *tables, const char *name)
{
    struct event_encoding encoding = {.place = -1};
    sysfs_source.find(tables, name, &encoding, NULL);
    return encoding.place;
}

static void discover(struct pmu_table *pmus, struct component_state *found)
{
    (void)pmus;
    found->disabled.code = works ? PAPI_OK : PAPI_ENOCMP;
}

static int list(const char *where, struct event_list *out, struct reason *why)
{
    static const struct component_event events[] = {
        {.name = "ONE", .description = "The first."},
        {.name = "TWO", .description = "The second.", .config = 7}};
    (void)where;
    return event_list_add(out, &events[0], why) == PAPI_OK ? event_list_add(out, &events[1], why)
                                                           : PAPI_ENOMEM;
}

static const struct component kernel = {.name = "perf_event"};
static const struct component own = {.name = "own",
                                     .processor = "own",
                                     .prefix = "emu::",
                                     .listed_by = "a command",
                                     .list = list,
                                     .discover = discover};
const struct component *const components[] = {&kernel, [COMPONENT_EMULATED] = &own};

int component_count(void)
{
    return 2;
}

/* The name of the event that both sources together list first. */
static void first_name(char *name, size_t size)
{
    if (pfm_source.next(&machine, -1, name, size) < 0)
        assert_true(sysfs_source.next(&machine, -1, name, size) >= 0);
}

static void check_event(const struct native_table *table, const struct native_event *event)
{
    assert_non_null(event);
    assert_ptr_equal(native_by_code(table, event->code), event);
    assert_int_equal(event->code & PAPI_PRESET_MASK, 0);
    assert_true((event->code & PAPI_NATIVE_MASK) != 0);
}

static void codes_are_handed_out_in_order(void **state)
{
    (void)state;
    struct native_table table = {0};
    struct native_event *cycles, *again, *raw;
    struct reason why = {0};
    char first[PAPI_2MAX_STR_LEN];
    assert_int_equal(native_by_name(&table, &machine, "cpu/cycles/", &cycles, &why), PAPI_OK);
    assert_int_equal(why.fresh, 0);
    /* Programs begin to enumerate at PAPI_NATIVE_MASK: that is the first event listed. */
    first_name(first, sizeof first);
    check_event(&table, native_by_code(&table, PAPI_NATIVE_MASK));
    assert_string_equal(native_by_code(&table, PAPI_NATIVE_MASK)->name, first);
    check_event(&table, cycles);
    assert_int_equal(cycles->code, PAPI_NATIVE_MASK | (strcmp(first, "cpu/cycles/") == 0 ? 0 : 1));
    assert_string_equal(cycles->name, "cpu/cycles/");
    assert_ptr_equal(cycles->source, &sysfs_source);
    assert_int_equal(cycles->encoding.type, 4);
    assert_true(cycles->encoding.config == 0x3c);
    assert_int_equal(cycles->mask, -1);
    assert_int_equal(cycles->place, place_of(&machine, "cpu/cycles/"));
    assert_false(cycles->tried);
    /* An event that the source does not list */
    assert_int_equal(native_by_name(&table, &machine, "cpu/event=0x3c,umask=1/u", &raw, &why), PAPI_OK);
    assert_int_equal(raw->code, cycles->code + 1);
    assert_int_equal(raw->place, -1);
    assert_int_equal(raw->encoding.domain, PAPI_DOM_USER);
    /* The same name is the same event. */
    assert_int_equal(native_by_name(&table, &machine, "cpu/cycles/", &again, &why), PAPI_OK);
    assert_ptr_equal(again, cycles);
    assert_int_equal(table.n, raw->code - PAPI_NATIVE_MASK + 1);
    natives_free(&table);
    assert_int_equal(table.n, 0);
    assert_null(table.event);
}

static void events_stay_where_they_are(void **state)
{
    enum { N = 1000 };
    (void)state;
    struct native_table table = {0};
    static struct native_event *event[N];
    static int code[N];
    char name[64];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "cpu/config=%d/", i);
        assert_int_equal(native_by_name(&table, &machine, name, &event[i], NULL), PAPI_OK);
        code[i] = event[i]->code;
        assert_true(i == 0 || code[i] == code[i - 1] + 1);
    }
    for (int i = 0; i < N; i++) {
        struct native_event *again;
        snprintf(name, sizeof name, "cpu/config=%d/", i);
        assert_int_equal(native_by_name(&table, &machine, name, &again, NULL), PAPI_OK);
        assert_ptr_equal(again, event[i]);
        assert_int_equal(again->code, code[i]);
        assert_ptr_equal(native_by_code(&table, code[i]), event[i]);
        assert_true(again->encoding.config == (uint64_t)i);
    }
    natives_free(&table);
}

static void names_are_refused(void **state)
{
    (void)state;
    struct native_table table = {0};
    struct native_event *event;
    struct reason why = {0};
    REFUSED(native_by_name(&table, &machine, "", &event, &why), PAPI_ENOEVNT, &why, "name of 0 characters");
    assert_null(event);
    char *name = test_text(256, "cpu/x");
    REFUSED(native_by_name(&table, &machine, name, &event, &why), PAPI_ENOEVNT, &why,
            "name of 256 characters");
    free(name);
    name = test_text(3000000, "perf::");
    REFUSED(native_by_name(&table, &machine, name, &event, &why), PAPI_ENOEVNT, &why,
            "name of 3000000 characters");
    free(name);
    REFUSED(native_by_name(&table, &machine, "cpu/nosuch/", &event, &why), PAPI_ENOEVNT, &why, "\"nosuch\"");
    REFUSED(native_by_name(&table, &machine, "nopmu/cycles/", &event, &why), PAPI_ENOEVNT, &why, "\"nopmu\"");
    REFUSED(native_by_name(&table, &machine, "NO_SUCH_EVENT", &event, &why), PAPI_ENOEVNT, &why, "libpfm4");
    assert_int_equal(native_by_name(&table, &machine, "NO_SUCH_EVENT", &event, NULL), PAPI_ENOEVNT);
    /* The names take no codes. */
    assert_true(table.n <= 1);
    /* The longest name that there may be: 255 characters */
    char longest[257] = "cpu/event=1";
    while (strlen(longest) + 8 <= 254)
        strcat(longest, ",event=1");
    while (strlen(longest) < 254)
        strcat(longest, ",");
    strcat(longest, "/");
    assert_int_equal(native_by_name(&table, &machine, longest, &event, &why), PAPI_OK);
    assert_string_equal(event->name, longest);
    natives_free(&table);
}

static void codes_that_are_none(void **state)
{
    (void)state;
    struct native_table table = {0};
    struct native_event *event;
    assert_null(native_by_code(&table, PAPI_NATIVE_MASK));
    assert_int_equal(native_by_name(&table, &machine, "cpu/cycles/", &event, NULL), PAPI_OK);
    assert_null(native_by_code(&table, PAPI_NATIVE_MASK | table.n));
    assert_null(native_by_code(&table, PAPI_NATIVE_MASK | 0x3ffffff));
    assert_null(native_by_code(&table, 0));
    assert_null(native_by_code(&table, 1));
    assert_null(native_by_code(&table, -1));
    assert_null(native_by_code(&table, (int)PAPI_TOT_INS));
    assert_null(native_by_code(&table, PAPI_PRESET_MASK));
    natives_free(&table);
}

/* All events, each once, those of sysfs after those of libpfm4 and in their order. */
static void all_are_enumerated(void **state)
{
    static const char *const last[] = {"cpu/branches/", "cpu/cycles/", "cpu/odd/", "uncore/reads/"};
    (void)state;
    struct native_table table = {0};
    struct native_event *event = NULL, *named;
    struct reason why = {0};
    int n = 0, total = native_count(&machine, ALL_COMPONENTS, NULL), code;
    /* A name that was used before does not disturb the order. */
    assert_int_equal(native_by_name(&table, &machine, "cpu/odd/", &named, NULL), PAPI_OK);
    while ((code = native_next(&table, &machine, event, ALL_COMPONENTS, &event, &why)) == PAPI_OK) {
        check_event(&table, event);
        assert_true(n < total);
        int k = n++ - (total - (int)COUNT(last));
        assert_ptr_equal(event->source, k < 0 ? &pfm_source : &sysfs_source);
        if (k >= 0)
            assert_string_equal(event->name, last[k]);
        if (n == 1)
            assert_int_equal(event->code, PAPI_NATIVE_MASK);
    }
    REFUSED(code, PAPI_ENOEVNT, &why, "last native event");
    assert_int_equal(n, total);
    assert_int_equal(table.n, total);
    /* A second turn meets the same events. */
    n = 0;
    for (event = NULL; native_next(&table, &machine, event, ALL_COMPONENTS, &event, NULL) == PAPI_OK; n++)
        ;
    assert_int_equal(n, total);
    assert_int_equal(table.n, total);
    for (int i = 0; i < table.n; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(table.event[i]->name, table.event[k]->name);
    natives_free(&table);
}

/* The kernel's own events need no libpfm4, and are what it says that they are. The first code stays free for
 * the first event listed. */
static void events_of_every_kernel(void **state)
{
    static const char *const cases[][2] = {{"perf::CPU-CLOCK", "CPU_CLOCK"},
                                           {"perf::TASK-CLOCK", "TASK_CLOCK"},
                                           {"perf::PAGE-FAULTS", "PAGE_FAULTS"},
                                           {"perf::FAULTS", "PAGE_FAULTS"},
                                           {"perf::MINOR-FAULTS", "PAGE_FAULTS_MIN"},
                                           {"perf::MAJOR-FAULTS", "PAGE_FAULTS_MAJ"},
                                           {"perf::CONTEXT-SWITCHES", "CONTEXT_SWITCHES"},
                                           {"perf::CS", "CONTEXT_SWITCHES"},
                                           {"perf::CPU-MIGRATIONS", "CPU_MIGRATIONS"},
                                           {"perf::MIGRATIONS", "CPU_MIGRATIONS"}};
    (void)state;
    if (!pfm_has_pmu(&machine, "perf") || getenv("LIBPFM_FORCE_PMU") != NULL)
        SKIP("libpfm4 does not find the kernel's perf here");
    static struct event_tables fresh; /* what it has of libpfm4 stays, as in a process */
    fresh.pmus.root = root;
    struct native_table table = {0};
    struct native_event *event[COUNT(cases)], *original, *next = NULL;
    char first[PAPI_2MAX_STR_LEN], name[64], text[256], other[256];
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(native_by_name(&table, &fresh, cases[i][0], &event[i], NULL), PAPI_OK);
        assert_int_equal(event[i]->code, PAPI_NATIVE_MASK | (int)(i + 1));
        check_event(&table, event[i]);
    }
    assert_null(fresh.pfm);
    assert_null(native_by_code(&table, PAPI_NATIVE_MASK));
    assert_int_equal(native_first(&table, &fresh, NULL), PAPI_OK);
    assert_non_null(fresh.pfm);
    first_name(first, sizeof first);
    check_event(&table, native_by_code(&table, PAPI_NATIVE_MASK));
    assert_string_equal(native_by_code(&table, PAPI_NATIVE_MASK)->name, first);
    for (size_t i = 0; i < COUNT(cases); i++) {
        snprintf(name, sizeof name, "perf::PERF_COUNT_SW_%s", cases[i][1]);
        assert_int_equal(native_by_name(&table, &fresh, name, &original, NULL), PAPI_OK);
        const struct event_encoding *one = &event[i]->encoding, *two = &original->encoding;
        assert_int_equal(one->component, two->component);
        assert_int_equal(one->type, two->type);
        assert_true(one->config == two->config && one->config1 == two->config1);
        assert_true(one->config2 == two->config2 && one->domain == two->domain && one->cpu == two->cpu);
        assert_true(one->some_cores == two->some_cores && one->event == two->event);
        /* Its place is found when somebody wants to know more of it. */
        assert_int_equal(event[i]->place, PLACE_LATER);
        assert_int_equal(native_settle(event[i], &fresh, NULL), PAPI_OK);
        assert_true(event[i]->place >= 0);
        assert_int_equal(
            pfm_source.describe(&fresh, cases[i][0], event[i]->place, -1, text, sizeof text, NULL), PAPI_OK);
        assert_int_equal(pfm_source.describe(&fresh, name, original->place, -1, other, sizeof other, NULL),
                         PAPI_OK);
        assert_string_equal(text, other);
    }
    natives_free(&table);
    /* Enumeration goes on behind such an event, and meets each once. */
    assert_int_equal(native_by_name(&table, &fresh, "perf::TASK-CLOCK", &event[0], NULL), PAPI_OK);
    assert_int_equal(native_next(&table, &fresh, event[0], ALL_COMPONENTS, &next, NULL), PAPI_OK);
    check_event(&table, next);
    int n = 0;
    for (next = NULL; native_next(&table, &fresh, next, ALL_COMPONENTS, &next, NULL) == PAPI_OK; n++)
        assert_true(n > 0 || next->code == PAPI_NATIVE_MASK);
    assert_int_equal(n, native_count(&machine, ALL_COMPONENTS, NULL));
    assert_int_equal(table.n, n);
    /* Other spellings are libpfm4's. */
    assert_false(kernel_event("perf::task-clock", NULL));
    assert_false(kernel_event("perf::TASK-CLOCK:u", NULL));
    assert_false(kernel_event("TASK-CLOCK", NULL));
    setenv("LIBPFM_DISABLED_PMUS", "perf", 1);
    assert_false(kernel_event("perf::TASK-CLOCK", NULL));
    unsetenv("LIBPFM_DISABLED_PMUS");
    natives_free(&table);
    pmus_free(&fresh.pmus);
}

/* Listed and no more: it has a code, and the reason why it cannot be had. */
static void an_event_that_cannot_be_encoded(void **state)
{
    (void)state;
    struct native_table table = {0};
    struct native_event *event = NULL;
    while (native_next(&table, &machine, event, ALL_COMPONENTS, &event, NULL) == PAPI_OK &&
           strcmp(event->name, "uncore/reads/") != 0)
        ;
    assert_non_null(event);
    assert_string_equal(event->name, "uncore/reads/");
    struct reason why = {0};
    REFUSED(native_encode(event, &machine, &why), PAPI_ENOEVNT, &why, "\"nofield\"");
    REFUSED(native_encode(event, &machine, &why), PAPI_ENOEVNT, &why, "\"nofield\"");
    natives_free(&table);
}

/* An event that could not be looked up for want of a descriptor is looked up again. */
static void no_descriptor_is_free(void **state)
{
    (void)state;
    pmus_free(&machine.pmus); /* or the PMU's files are not read again */
    struct native_table table = {0};
    struct native_event *event = NULL, *named;
    struct rlimit limit, none;
    struct reason why = {0};
    while (native_next(&table, &machine, event, ALL_COMPONENTS, &event, NULL) == PAPI_OK &&
           strcmp(event->name, "cpu/odd/") != 0)
        ;
    assert_non_null(event);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int listed = native_encode(event, &machine, &why);
    int new = native_by_name(&table, &machine, "cpu/event=7/", &named, NULL);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    REFUSED(listed, PAPI_ESYS, &why, "\"cpu\" cannot be read");
    assert_int_equal(new, PAPI_ESYS);
    assert_int_equal(native_encode(event, &machine, NULL), PAPI_OK);
    assert_true(event->encoding.config == 0x201);
    assert_int_equal(native_by_name(&table, &machine, "cpu/event=7/", &named, NULL), PAPI_OK);
    natives_free(&table);
}

/* Names of libpfm4 on a hybrid processor. */
static void events_of_one_kind_of_cores(void **state)
{
    static const struct {
        const char *name;
        bool some;
    } cases[] = {{"perf::PERF_COUNT_HW_CPU_CYCLES", true},
                 {"perf::PERF_COUNT_HW_CACHE_L1D:READ:MISS", true},
                 {"perf::PAGE-FAULTS", false},
                 {"cpu_atom/event=1/", true},
                 {"uncore/event=1/", false}};
    (void)state;
    if (!pfm_has_pmu(&machine, "perf"))
        SKIP("libpfm4 does not find the kernel's perf here");
    const char *folder = test_folder();
    test_file(folder, "sys/devices/system/cpu/online", "0-7\n");
    test_file(folder, DEVICES "cpu_atom/type", "10\n");
    test_file(folder, DEVICES "cpu_atom/cpus", "4-7\n");
    test_file(folder, DEVICES "cpu_atom/format/event", "config:0-7\n");
    test_file(folder, DEVICES "uncore/type", "14\n");
    test_file(folder, DEVICES "uncore/format/event", "config:0-7\n");
    struct event_tables other = {.pmus.root = folder, .pfm = machine.pfm};
    struct native_table table = {0}, plain = {0};
    struct native_event *event;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(native_by_name(&table, &other, cases[i].name, &event, NULL), PAPI_OK);
        assert_int_equal(native_encode(event, &other, NULL), PAPI_OK);
        assert_int_equal(event->encoding.some_cores, cases[i].some);
    }
    assert_true(pmus_one_core_type(&other.pmus, 10));
    assert_false(pmus_one_core_type(&other.pmus, 14));
    assert_int_equal(native_by_name(&plain, &machine, cases[0].name, &event, NULL), PAPI_OK);
    assert_int_equal(native_encode(event, &machine, NULL), PAPI_OK);
    assert_false(event->encoding.some_cores);
    natives_free(&table);
    natives_free(&plain);
    pmus_free(&other.pmus);
    test_folder_remove(folder);
}

/* Events of a component can always be named, and are listed where the component works, before all others. */
static void events_of_a_component(void **state)
{
    (void)state;
    struct native_table table = {0};
    struct native_event *event, *two, *one;
    struct reason why = {0};
    int others = native_count(&machine, ALL_COMPONENTS, NULL);
    char text[64];
    assert_int_equal(native_count(&machine, COMPONENT_EMULATED, NULL), 0);
    assert_int_equal(native_by_name(&table, &machine, "EMU::two", &two, &why), PAPI_OK);
    assert_int_equal(two->encoding.component, COMPONENT_EMULATED);
    assert_int_equal(two->encoding.config, 7);
    assert_int_equal(own_source.describe(&machine, two->name, two->place, -1, text, sizeof text, NULL),
                     PAPI_OK);
    assert_string_equal(text, "The second.");
    REFUSED(native_by_name(&table, &machine, "emu::THREE", &event, &why), PAPI_ENOEVNT, &why,
            "no event \"emu::THREE\" here; a command lists");
    natives_free(&table);
    works = 1;
    assert_int_equal(native_count(&machine, COMPONENT_EMULATED, NULL), 2);
    assert_int_equal(native_count(&machine, COMPONENT_PERF_EVENT, NULL), others);
    assert_int_equal(native_count(&machine, ALL_COMPONENTS, NULL), others + 2);
    assert_int_equal(native_next(&table, &machine, NULL, ALL_COMPONENTS, &one, NULL), PAPI_OK);
    assert_string_equal(one->name, "emu::ONE");
    assert_int_equal(native_next(&table, &machine, one, COMPONENT_EMULATED, &two, NULL), PAPI_OK);
    assert_string_equal(two->name, "emu::TWO");
    REFUSED(native_next(&table, &machine, two, COMPONENT_EMULATED, &event, &why), PAPI_ENOEVNT, &why,
            "last native event");
    assert_int_equal(native_next(&table, &machine, NULL, COMPONENT_PERF_EVENT, &event, NULL), PAPI_OK);
    assert_int_equal(event->encoding.component, COMPONENT_PERF_EVENT);
    works = 0;
    natives_free(&table);
}

static void masks_are_enumerated(void **state)
{
    (void)state;
    if (!pfm_has_pmu(&machine, "perf"))
        SKIP("libpfm4 does not find the kernel's perf here");
    struct native_table table = {0};
    struct native_event *event, *masked, *base;
    struct reason why = {0};
    assert_int_equal(native_by_name(&table, &machine, "perf::PERF_COUNT_HW_CACHE_L1D:READ", &event, &why),
                     PAPI_OK);
    int code = PAPI_OK, n = 0, read = 0;
    for (base = NULL; native_next(&table, &machine, base, ALL_COMPONENTS, &base, NULL) == PAPI_OK;)
        if (strcmp(base->name, "perf::PERF_COUNT_HW_CACHE_L1D") == 0)
            break;
    assert_string_equal(base->name, "perf::PERF_COUNT_HW_CACHE_L1D");
    for (masked = base; (code = native_next_mask(&table, &machine, masked, &masked, &why)) == PAPI_OK; n++) {
        check_event(&table, masked);
        assert_int_equal(masked->place, base->place);
        assert_true(masked->mask >= 0);
        read += masked == event;
    }
    REFUSED(code, PAPI_ENOEVNT, &why, "has no further mask");
    assert_int_equal(n, 5);
    assert_int_equal(read, 1); /* the event that was named before, with its code */
    /* An event without masks */
    assert_int_equal(native_by_name(&table, &machine, "cpu/cycles/", &event, &why), PAPI_OK);
    REFUSED(native_next_mask(&table, &machine, event, &masked, &why), PAPI_ENOEVNT, &why,
            "cpu/cycles/ has no further mask");
    natives_free(&table);
}

static void an_empty_table_is_freed(void **state)
{
    (void)state;
    struct native_table table = {0};
    natives_free(&table);
    natives_free(&table);
    assert_int_equal(table.n, 0);
}

static int setup(void **state)
{
    (void)state;
    root = test_folder();
    machine.pmus.root = root;
    test_file(root, DEVICES "cpu/type", "4\n");
    test_file(root, DEVICES "cpu/format/event", "config:0-7\n");
    test_file(root, DEVICES "cpu/format/umask", "config:8-15\n");
    test_file(root, DEVICES "cpu/events/cycles", "event=0x3c\n");
    test_file(root, DEVICES "cpu/events/branches", "event=0xc4\n");
    test_file(root, DEVICES "cpu/events/odd", "event=0x1,umask=0x2\n");
    test_file(root, DEVICES "uncore/type", "14\n");
    test_file(root, DEVICES "uncore/events/reads", "nofield=0x4\n");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    pmus_free(&machine.pmus);
    test_folder_remove(root);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_handed_out_in_order),
        cmocka_unit_test(events_stay_where_they_are),
        cmocka_unit_test(names_are_refused),
        cmocka_unit_test(codes_that_are_none),
        cmocka_unit_test(all_are_enumerated),
        cmocka_unit_test(events_of_every_kernel),
        cmocka_unit_test(an_event_that_cannot_be_encoded),
        cmocka_unit_test(no_descriptor_is_free),
        cmocka_unit_test(events_of_one_kind_of_cores),
        cmocka_unit_test(events_of_a_component),
        cmocka_unit_test(masks_are_enumerated),
        cmocka_unit_test(an_empty_table_is_freed),
    };
    return test_status(cmocka_run_group_tests(tests, setup, teardown), COUNT(tests));
}
