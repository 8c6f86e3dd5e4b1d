/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names in the kernel's spelling, on a machine that is a folder of files.
 */
#include "testing.h"

#include "events/natives.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES "sys/bus/event_source/devices/"
#define ALL 0xffffffffffffffffULL

static const struct {
    const char *path, *text;
} files[] = {
    {"cpu/type", "4\n"},
    {"cpu/format/event", "config:0-7\n"},
    {"cpu/format/umask", "config:8-15\n"},
    {"cpu/format/edge", "config:18\n"},
    {"cpu/format/inv", "config:23\n"},
    {"cpu/format/cmask", "config:24-31\n"},
    {"cpu/format/ldlat", "config1:0-15\n"},
    {"cpu/format/offcore_rsp", "config1:0-63\n"},
    {"cpu/format/bits", "config2:1,3,5-6\n"},
    {"cpu/format/odd", "nowhere:0-7\n"},
    {"cpu/format/plain", "0-7\n"},
    {"cpu/events/cycles", "event=0x3c\n"},
    {"cpu/events/cycles.scale", "1e-3\n"},
    {"cpu/events/cycles.unit", "kc\n"},
    {"cpu/events/branches", "event=0xc4"},
    {"cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
    {"cpu/events/stalls", "event=0xa3,cmask=4,inv,edge\n"},
    {"cpu/events/loop", "loop\n"},
    {"cpu/events/asks", "event=?\n"},
    {"cpu/events/empty", ""},
    {"cpu/events/edge", "event=0xed\n"},
    {"cpu/secret", "event=0x77\n"},
    /* AMD's event codes have 12 bits in two places; others have three. */
    {"cpu_amd/type", "0x5\n"},
    {"cpu_amd/format/event", "config:0-7,32-35\n"},
    {"cpu_amd/format/umask", "config:8-15\n"},
    {"cpu_amd/format/split", "config1:60-63,0-1,8\n"},
    {"cpu_amd/events/cycles", "event=0x176\n"},
    {"uncore_imc_0/type", "4294967295\n"},
    {"uncore_imc_0/format/event", "config:0-7\n"},
    /* PMUs that are none */
    {"broken/type", "four\n"},
    {"broken/format/event", "config:0-7\n"},
    {"negative/type", "-1\n"},
    {"negative/format/event", "config:0-7\n"},
    {"large/type", "4294967296\n"},
    {"large/format/event", "config:0-7\n"},
    {"typeless/format/event", "config:0-7\n"},
    {".hidden/type", "6\n"},
    {".hidden/format/event", "config:0-7\n"},
    {".hidden/events/x", "event=1\n"},
};

static const char *root;
static struct event_tables machine;

/* ---- names that mean something */

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config, config1, config2;
    int domain;
} names[] = {
    {"cpu/event=0x3c/", 4, 0x3c, 0, 0, 0},
    {"cpu/event=60/", 4, 0x3c, 0, 0, 0},
    {"cpu/event=0x3c,umask=0x1/", 4, 0x13c, 0, 0, 0},
    {"cpu/umask=0x1,event=0x3c/", 4, 0x13c, 0, 0, 0},
    {"cpu/event=0x3c, umask=0x1/", 4, 0x13c, 0, 0, 0},
    {"cpu/event=0xff,umask=0xff/", 4, 0xffff, 0, 0, 0},
    {"cpu/event=0/", 4, 0, 0, 0, 0},
    /* A field alone is 1. */
    {"cpu/event=0x3c,inv/", 4, 0x80003c, 0, 0, 0},
    {"cpu/event=0x3c,inv=0/", 4, 0x3c, 0, 0, 0},
    {"cpu/event=0x3c,edge=1,cmask=255/", 4, 0xff04003c, 0, 0, 0},
    {"cpu/event/", 4, 1, 0, 0, 0},
    {"cpu/event=0xbb,offcore_rsp=0xffffffffffffffff/", 4, 0xbb, ALL, 0, 0},
    {"cpu/event=0xbb,offcore_rsp=18446744073709551614/", 4, 0xbb, ALL - 1, 0, 0},
    {"cpu/bits=0xf/", 4, 0, 0, 0x6a, 0},
    {"cpu/bits=0x5/", 4, 0, 0, 0x22, 0},
    {"cpu/bits=0x8/", 4, 0, 0, 0x40, 0},
    /* Whole words */
    {"cpu/config=0x123456789abcdef0/", 4, 0x123456789abcdef0, 0, 0, 0},
    {"cpu/config=0xffffffffffffffff,config1=1,config2=2/", 4, ALL, 1, 2, 0},
    {"cpu/config=0xffff,event=0/", 4, 0xff00, 0, 0, 0},
    /* Bits in several places: the lowest in the first. */
    {"cpu_amd/event=0x76/", 5, 0x76, 0, 0, 0},
    {"cpu_amd/event=0x176/", 5, 0x100000076, 0, 0, 0},
    {"cpu_amd/event=0xfff,umask=0x12/", 5, 0xf000012ff, 0, 0, 0},
    {"cpu_amd/split=0x7f/", 5, 0, 0xf000000000000103, 0, 0},
    {"cpu_amd/split=0x10/", 5, 0, 0x1, 0, 0},
    {"cpu_amd/split=0x40/", 5, 0, 0x100, 0, 0},
    {"cpu_amd/split=0x9/", 5, 0, 0x9000000000000000, 0, 0},
    {"uncore_imc_0/event=4/", UINT32_MAX, 4, 0, 0, 0},
    /* Named events */
    {"cpu/cycles/", 4, 0x3c, 0, 0, 0},
    {"cpu/branches/", 4, 0xc4, 0, 0, 0},
    {"cpu/mem-loads/", 4, 0x1cd, 3, 0, 0},
    {"cpu/stalls/", 4, 0x48400a3, 0, 0, 0},
    {"cpu_amd/cycles/", 5, 0x100000076, 0, 0, 0},
    /* An event comes before a field of its name. */
    {"cpu/edge/", 4, 0xed, 0, 0, 0},
    /* Further terms: the later one counts. */
    {"cpu/cycles,umask=0x2/", 4, 0x23c, 0, 0, 0},
    {"cpu/mem-loads,ldlat=30/", 4, 0x1cd, 30, 0, 0},
    {"cpu/mem-loads,ldlat=0/", 4, 0x1cd, 0, 0, 0},
    {"cpu/ldlat=30,mem-loads/", 4, 0x1cd, 3, 0, 0},
    {"cpu/event=1,event=2/", 4, 2, 0, 0, 0},
    /* Domains */
    {"cpu/cycles/u", 4, 0x3c, 0, 0, PAPI_DOM_USER},
    {"cpu/cycles/k", 4, 0x3c, 0, 0, PAPI_DOM_KERNEL},
    {"cpu/cycles/uk", 4, 0x3c, 0, 0, PAPI_DOM_USER | PAPI_DOM_KERNEL},
    {"cpu/cycles/ku", 4, 0x3c, 0, 0, PAPI_DOM_USER | PAPI_DOM_KERNEL},
    {"cpu/event=0x3c,umask=1/u", 4, 0x13c, 0, 0, PAPI_DOM_USER},
};

/* The place of an event in the source, by its name, which may lack a mask; -1: it is not listed. */
static int place_of(struct event_tables *tables, const char *name)
{
    struct event_encoding encoding = {.place = -1};
    sysfs_source.find(tables, name, &encoding, NULL);
    return encoding.place;
}

static void names_are_encoded(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct event_encoding got;
        struct reason why = {0};
        memset(&got, 0xa5, sizeof got);
        int code = sysfs_source.find(&machine, names[i].name, &got, &why);
        if (code != PAPI_OK || got.config != names[i].config || got.config1 != names[i].config1)
            print_error("%s: %d %s, config %llx, config1 %llx\n", names[i].name, code, why.text,
                        (unsigned long long)got.config, (unsigned long long)got.config1);
        assert_int_equal(code, PAPI_OK);
        assert_int_equal(got.component, 0);
        assert_int_equal(got.type, names[i].type);
        assert_true(got.config == names[i].config);
        assert_true(got.config1 == names[i].config1);
        assert_true(got.config2 == names[i].config2);
        assert_int_equal(got.domain, names[i].domain);
    }
}

/* ---- names that mean nothing */

static const struct {
    const char *name, *part; /* of the reason */
} refused[] = {
    /* Not of the form */
    {"", "is not of the form"},
    {"/", "is not of the form"},
    {"//", "is not of the form"},
    {"cpu", "is not of the form"},
    {"cpu/", "is not of the form"},
    {"cpu//", "is not of the form"},
    {"cpu/,/", "is not of the form"},
    {"cpu/ /", "is not of the form"},
    {"/cycles/", "is not of the form"},
    {"cpu/cycles", "is not of the form"},
    {"cpu/cycles/h", "is not of the form"},
    {"cpu/cycles/u ", "is not of the form"},
    {"cpu/cycles/:u", "is not of the form"},
    {"cpu/cycles/U", "is not of the form"},
    /* No such PMU */
    {"nopmu/cycles/", "no PMU \"nopmu\""},
    {"CPU/cycles/", "no PMU \"CPU\""},
    {"broken/event=1/", "no PMU \"broken\""},
    {"negative/event=1/", "no PMU \"negative\""},
    {"large/event=1/", "no PMU \"large\""},
    {"typeless/event=1/", "no PMU \"typeless\""},
    /* No such term */
    {"cpu/nosuch/", "PMU cpu has no event and no field \"nosuch\""},
    {"cpu/nosuch=1/", "PMU cpu has no event and no field \"nosuch\""},
    {"cpu/event=1,nosuch/", "PMU cpu has no event and no field \"nosuch\""},
    {"cpu/cycles=1/", "PMU cpu has no event and no field \"cycles\""},
    {"cpu/Event=1/", "PMU cpu has no event and no field \"Event\""},
    {"cpu/empty/", "PMU cpu has no event and no field \"empty\""},
    {"cpu/loop/", "PMU cpu has no event and no field \"loop\""},
    {"cpu/cycles.scale/", "has no event and no field"},
    {"uncore_imc_0/cycles/", "PMU uncore_imc_0 has no event and no field \"cycles\""},
    {"cpu_amd/cmask=1/", "PMU cpu_amd has no event and no field \"cmask\""},
    /* Values that are none */
    {"cpu/event=/", "\"event=\" for PMU cpu has no number behind the \"=\""},
    {"cpu/config=2,,=/", "\"=\" for PMU cpu has no field before the \"=\""},
    {"cpu/=1/", "\"=1\" for PMU cpu has no field before the \"=\""},
    {"cpu/event=3c/", "\"3c\" is not a number for event of PMU cpu"},
    {"cpu/event=0x/", "\"0x\" is not a number for event of PMU cpu"},
    {"cpu/event=0x3g/", "\"0x3g\" is not a number for event of PMU cpu"},
    {"cpu/event=-1/", "\"-1\" is not a number for event of PMU cpu"},
    {"cpu/offcore_rsp=-1/", "\"-1\" is not a number for offcore_rsp of PMU cpu"},
    {"cpu/event=1=2/", "\"1=2\" is not a number for event of PMU cpu"},
    {"cpu/event=1.5/", "\"1.5\" is not a number for event of PMU cpu"},
    {"cpu/offcore_rsp=18446744073709551616/", "is not a number for offcore_rsp of PMU cpu"},
    {"cpu/config=0x10000000000000000/", "is not a number for config of PMU cpu"},
    {"cpu/asks/", "\"?\" is not a number for event of PMU cpu"},
    /* Values that do not fit */
    {"cpu/event=0x100/", "256 does not fit the field event (config:0-7) of PMU cpu"},
    {"cpu/inv=2/", "2 does not fit the field inv (config:23) of PMU cpu"},
    {"cpu/ldlat=65536/", "65536 does not fit the field ldlat (config1:0-15) of PMU cpu"},
    {"cpu/bits=0x10/", "16 does not fit the field bits (config2:1,3,5-6) of PMU cpu"},
    {"cpu/event=0xffffffffffffffff/", "does not fit the field event"},
    {"cpu_amd/event=0x1000/", "4096 does not fit the field event (config:0-7,32-35) of PMU cpu_amd"},
    {"cpu_amd/split=0x80/", "128 does not fit the field split"},
    {"cpu/cycles,umask=0x100/", "256 does not fit the field umask"},
    /* A format that nobody knows */
    {"cpu/odd=1/", "field odd (nowhere:0-7) of PMU cpu"},
    {"cpu/plain=1/", "field plain (0-7) of PMU cpu"},
    /* Out of the folder */
    {"cpu/../secret/", "has no event and no field"},
    {"cpu/../secret=1/", "has no event and no field"},
    {"cpu/../format/event/", "has no event and no field"},
    {"cpu/./cycles/", "has no event and no field"},
    {"cpu/../events/cycles/", "has no event and no field"},
    {"cpu/../../cpu_amd/events/cycles/", "has no event and no field"},
    {"cpu/cycles/../cycles/", "has no event and no field"},
    {"../devices/cpu/cycles/", "is not of the form"},
    {"../cycles/", "is not of the form"},
    {"./cycles/", "is not of the form"},
    {"../cpu/event=1/", "is not of the form"},
    {".hidden/event=1/", "is not of the form"},
};

static void names_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct event_encoding encoding;
        struct reason why = {0};
        REFUSED(sysfs_source.find(&machine, refused[i].name, &encoding, &why), PAPI_ENOEVNT, &why,
                refused[i].part);
        assert_int_equal(sysfs_source.find(&machine, refused[i].name, &encoding, NULL), PAPI_ENOEVNT);
    }
}

static void long_names(void **state)
{
    (void)state;
    for (size_t n = 100; n < 200000; n += n / 2) {
        static const char *const forms[] = {"%s/event=1/", "cpu/%s/", "cpu/event=%s/", "cpu/%s=1/", "%s"};
        char *text = test_text(n, "0x1");
        for (size_t i = 0; i < COUNT(forms); i++) {
            char *name;
            struct event_encoding encoding;
            struct reason why = {0};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            assert_true(asprintf(&name, forms[i], text) > 0);
#pragma GCC diagnostic pop
            assert_int_equal(sysfs_source.find(&machine, name, &encoding, &why), PAPI_ENOEVNT);
            assert_true(why.fresh && strlen(why.text) < sizeof why.text);
            free(name);
        }
        free(text);
    }
    /* As many terms as a name has room for */
    char name[1024] = "cpu/event=1";
    for (int i = 0; i < 60; i++)
        strcat(name, ",event=2");
    strcat(name, "/");
    struct event_encoding encoding;
    assert_int_equal(sysfs_source.find(&machine, name, &encoding, NULL), PAPI_OK);
    assert_true(encoding.config == 2);
}

static void another_machine(void **state)
{
    struct event_encoding encoding;
    struct reason why = {0};
    char name[PAPI_2MAX_STR_LEN];
    (void)state;
    const char *folder = test_folder();
    struct event_tables other = {.pmus.root = folder};
    REFUSED(sysfs_source.find(&other, "cpu/cycles/", &encoding, &why), PAPI_ENOEVNT, &why, "no PMU \"cpu\"");
    assert_int_equal(sysfs_source.next(&other, -1, name, sizeof name), -1);
    assert_int_equal(place_of(&other, "cpu/cycles/"), -1);
    pmus_free(&other.pmus);
    test_folder_remove(folder);
}

/* ---- listing */

static const char *const listed[] = {
    "cpu/asks/", "cpu/branches/",  "cpu/cycles/", "cpu/edge/",       "cpu/empty/",
    "cpu/loop/", "cpu/mem-loads/", "cpu/stalls/", "cpu_amd/cycles/",
};

static void events_are_listed(void **state)
{
    (void)state;
    int place = -1;
    for (size_t i = 0; i < COUNT(listed); i++) {
        char name[PAPI_2MAX_STR_LEN];
        int next = sysfs_source.next(&machine, place, name, sizeof name);
        assert_true(next > place);
        assert_string_equal(name, listed[i]);
        assert_int_equal(place_of(&machine, name), next);
        place = next;
    }
    assert_null(sysfs_source.next_mask);
    char name[PAPI_2MAX_STR_LEN] = "as before";
    assert_int_equal(sysfs_source.next(&machine, place, name, sizeof name), -1);
    /* Lists from the beginning again, and goes a step back. */
    assert_int_equal(sysfs_source.next(&machine, -1, name, sizeof name), place_of(&machine, listed[0]));
    assert_int_equal(sysfs_source.next(&machine, place - 1, name, sizeof name), place);
    strcpy(name, "as before");
    assert_int_equal(sysfs_source.next(&machine, 1000000, name, sizeof name), -1);
    assert_int_equal(place_of(&machine, "cpu/cycles.scale/"), -1);
    assert_int_equal(place_of(&machine, "cpu/cycles/u"), -1);
    assert_int_equal(place_of(&machine, "cpu/event=0x3c/"), -1);
    assert_int_equal(place_of(&machine, "cpu/../secret/"), -1);
    assert_int_equal(place_of(&machine, ".hidden/x/"), -1);
    assert_int_equal(place_of(&machine, ""), -1);
}

static void events_are_described(void **state)
{
    (void)state;
    char text[256];
    int place = place_of(&machine, "cpu/cycles/");
    assert_int_equal(sysfs_source.describe(&machine, "cpu/cycles/", place, -1, text, sizeof text, NULL),
                     PAPI_OK);
    assert_string_equal(text, "event cycles of the kernel's PMU cpu (event=0x3c)");
    place = place_of(&machine, "cpu_amd/cycles/");
    assert_int_equal(sysfs_source.describe(&machine, "cpu_amd/cycles/", place, -1, text, sizeof text, NULL),
                     PAPI_OK);
    assert_string_equal(text, "event cycles of the kernel's PMU cpu_amd (event=0x176)");
    char small[12];
    assert_int_equal(sysfs_source.describe(&machine, "cpu_amd/cycles/", place, -1, small, sizeof small, NULL),
                     PAPI_OK);
    assert_string_equal(small, "event cycle");
    assert_int_equal(sysfs_source.describe(&machine, "cpu/cycles/", -1, -1, text, sizeof text, NULL),
                     PAPI_ENOEVNT);
    assert_string_equal(text, "");
}

static int setup(void **state)
{
    (void)state;
    root = test_folder();
    machine.pmus.root = root;
    for (size_t i = 0; i < COUNT(files); i++) {
        char path[256];
        snprintf(path, sizeof path, DEVICES "%s", files[i].path);
        test_file(root, path, files[i].text);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    pmus_free(&machine.pmus);
    test_folder_remove(root);
    return 0;
}

/* A PMU is that of some cores where a CPU is online that it does not count. */
static void kinds_of_cores(void **state)
{
    static const struct {
        const char *online, *cpus;
        bool some;
    } cases[] = {
        {"0-7", "0-3", true},      {"0-7", "4-7", true},        {"0-7", "0-7", false},
        {"0-7", "0-31", false},    {"0-7", "0-2,3-7", false},   {"0-7", "0,2-7", true},
        {"0,2-7", "0,2-7", false}, {"0", "0", false},           {"0-3,8-11", "0-11", false},
        {"0-3,8-11", "0-3", true}, {"0-7", "", false},          {"", "0-3", false},
        {"0-7", "x", true},        {"0-99999999", "0-3", true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct event_encoding encoding;
        const char *folder = test_folder();
        struct event_tables other = {.pmus.root = folder};
        test_file(folder, "sys/devices/system/cpu/online", cases[i].online);
        test_file(folder, DEVICES "big/type", "8\n");
        test_file(folder, DEVICES "big/cpus", cases[i].cpus);
        test_file(folder, DEVICES "big/format/event", "config:0-7\n");
        assert_int_equal(sysfs_source.find(&other, "big/event=1/", &encoding, NULL), PAPI_OK);
        if (encoding.some_cores != cases[i].some)
            print_error("online %s, cpus %s\n", cases[i].online, cases[i].cpus);
        assert_int_equal(encoding.some_cores, cases[i].some);
        pmus_free(&other.pmus);
        test_folder_remove(folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_encoded), cmocka_unit_test(names_are_refused),
        cmocka_unit_test(long_names),        cmocka_unit_test(another_machine),
        cmocka_unit_test(events_are_listed), cmocka_unit_test(events_are_described),
        cmocka_unit_test(kinds_of_cores),
    };
    return test_status(cmocka_run_group_tests(tests, setup, teardown), COUNT(tests));
}
