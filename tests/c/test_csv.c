/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of presets in files that the user names (PAPI_CSV_EVENT_FILE): derived values against
 * their parts, and files with mistakes. Each in a child process, which initialises the library.
 */
#include "testing.h"

#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void with_file(const char *text, void (*body)(void *), void *argument)
{
    PAPI_shutdown();
    test_presets(text, strlen(text));
    test_in_child(body, argument);
    unsetenv("PAPI_CSV_EVENT_FILE");
}

/* ---- presets onto software events */

static void flops_and_ipc(void *argument)
{
    float rtime, ptime, rate = -1;
    long long count = -1;
    (void)argument;
    test_init();
    OK(PAPI_query_event(PAPI_TOT_INS));
    OK(PAPI_query_event(PAPI_FP_OPS));
    OK(PAPI_query_named_event("PAPI_TOT_CYC"));
    OK(PAPI_flops(&rtime, &ptime, &count, &rate));
    test_touch_pages(500);
    OK(PAPI_flops(&rtime, &ptime, &count, &rate));
    COUNTED(count, 500);
    CHECK(rate > 0 && rtime > 0 && ptime > 0);
    OK(PAPI_stop_counters(NULL, 0));
    OK(PAPI_ipc(&rtime, &ptime, &count, &rate));
    test_burn(1000000);
    OK(PAPI_ipc(&rtime, &ptime, &count, &rate));
    CHECK(rate >= 0);
    PAPI_shutdown();
}

static void presets_on_software_events(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_file("CPU,perf\n"
              "PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::TASK-CLOCK\n"
              "PRESET,PAPI_FP_OPS,NOT_DERIVED,perf::PAGE-FAULTS\n"
              "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::CPU-CLOCK\n",
              flops_and_ipc, NULL);
}

/* ---- the derived types, each beside its parts in the same read */

static const char derived_table[] =
    "# faults: F, minor ones: M, major ones: J; on the tests' work F = M = pages touched, J = 0\n"
    "CPU,perf\n"
    "PRESET,PAPI_L1_DCM,NOT_DERIVED,perf::PAGE-FAULTS\n"
    "PRESET,PAPI_L1_ICM,DERIVED_ADD,perf::PAGE-FAULTS,perf::MINOR-FAULTS\n"
    "PRESET,PAPI_L2_DCM,DERIVED_ADD,perf::PAGE-FAULTS,perf::MINOR-FAULTS,perf::MAJOR-FAULTS\n"
    "PRESET,PAPI_L2_ICM,DERIVED_SUB,perf::PAGE-FAULTS,perf::MAJOR-FAULTS\n"
    "PRESET,PAPI_L3_DCM,DERIVED_SUB,perf::MAJOR-FAULTS,perf::MINOR-FAULTS,perf::PAGE-FAULTS\n"
    "PRESET,PAPI_L3_ICM,DERIVED_CMPD,perf::MINOR-FAULTS,perf::MAJOR-FAULTS\n"
    "PRESET,PAPI_L1_TCM,DERIVED_POSTFIX,N0|4|*|N1|2|*|+|N2|-|,perf::PAGE-FAULTS,perf::MINOR-FAULTS,"
    "perf::MAJOR-FAULTS\n"
    "PRESET,PAPI_L2_TCM,DERIVED_POSTFIX,N0|N1|*|,perf::PAGE-FAULTS,perf::MINOR-FAULTS\n"
    "PRESET,PAPI_L3_TCM,DERIVED_POSTFIX,N0|2|/|2|*|,perf::PAGE-FAULTS\n"
    "PRESET,PAPI_CA_SNP,DERIVED_POSTFIX,N0|3|/|,perf::PAGE-FAULTS\n"
    "PRESET,PAPI_CA_SHR,DERIVED_POSTFIX,N0|N1|/|,perf::PAGE-FAULTS,perf::MAJOR-FAULTS\n";

enum { DERIVED = 11 };
static const int derived_codes[DERIVED] = {PAPI_L1_DCM, PAPI_L1_ICM, PAPI_L2_DCM, PAPI_L2_ICM,
                                           PAPI_L3_DCM, PAPI_L3_ICM, PAPI_L1_TCM, PAPI_L2_TCM,
                                           PAPI_L3_TCM, PAPI_CA_SNP, PAPI_CA_SHR};

static void check_derived(const long long *v)
{
    long long f = v[DERIVED], m = v[DERIVED + 1], j = v[DERIVED + 2];
    EQUAL(v[0], f);
    EQUAL(v[1], f + m);
    EQUAL(v[2], f + m + j);
    EQUAL(v[3], f - j);
    EQUAL(v[4], j - m - f);
    EQUAL(v[5], m);
    EQUAL(v[6], 4 * f + 2 * m - j);
    EQUAL(v[7], f * m);
    EQUAL(v[8], f);                   /* f / 2 * 2: a half is not lost on the way */
    EQUAL(v[9], f / 3);               /* the result is cut */
    EQUAL(v[10], j == 0 ? 0 : f / j); /* a division by no count */
}

static void derived_values(void *argument)
{
    long long values[DERIVED + 3];
    int es = PAPI_NULL;
    (void)argument;
    test_init();
    OK(PAPI_create_eventset(&es));
    for (int i = 0; i < DERIVED; i++)
        OK(PAPI_add_event(es, derived_codes[i]));
    OK(PAPI_add_named_event(es, FAULTS));
    OK(PAPI_add_named_event(es, MINOR));
    OK(PAPI_add_named_event(es, MAJOR));
    EQUAL(PAPI_num_events(es), DERIVED + 3);
    test_touch_pages(1);
    OK(PAPI_start(es));
    for (int n = 1; n < 500; n = 3 * n + 2) {
        OK(PAPI_reset(es));
        test_touch_pages(n);
        OK(PAPI_read(es, values));
        check_derived(values);
        COUNTED(values[DERIVED], n);
        EQUAL(values[DERIVED], values[0]);
    }
    OK(PAPI_stop(es, values));
    check_derived(values);
    OK(PAPI_read(es, values));
    check_derived(values);
    test_drop(es);
    PAPI_shutdown();
}

static void derived_types_equal_their_parts(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_file(derived_table, derived_values, NULL);
}

/* Each counter is zeroed, not the derived value: a sum over accumulations is the value over all. */
static void derived_accumulation(void *argument)
{
    long long sum[2] = {0, 0};
    int es = PAPI_NULL;
    (void)argument;
    test_init();
    OK(PAPI_create_eventset(&es));
    OK(PAPI_add_event(es, PAPI_L1_ICM));
    OK(PAPI_add_named_event(es, FAULTS));
    OK(PAPI_start(es));
    for (int i = 0; i < 10; i++) {
        test_touch_pages(10);
        OK(PAPI_accum(es, sum));
    }
    COUNTED(sum[1], 100);
    EQUAL(sum[0], 2 * sum[1]);
    CODE(PAPI_write(es, sum), PAPI_ECMP);
    CODE(PAPI_remove_event(es, PAPI_L1_ICM), PAPI_EISRUN);
    OK(PAPI_stop(es, NULL));
    CODE(PAPI_write(es, sum), PAPI_ECMP);
    OK(PAPI_remove_event(es, PAPI_L1_ICM));
    OK(PAPI_start(es));
    test_touch_pages(20);
    OK(PAPI_stop(es, sum));
    COUNTED(sum[0], 20);
    test_drop(es);
    PAPI_shutdown();
}

static void derived_events_accumulate(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_file(derived_table, derived_accumulation, NULL);
}

static void derived_info(void *argument)
{
    PAPI_event_info_t info;
    (void)argument;
    test_init();
    OK(PAPI_get_event_info(PAPI_L1_ICM, &info));
    EQUAL(info.count, 2);
    EQUAL(strcmp(info.derived, "DERIVED_ADD"), 0);
    EQUAL(strcmp(info.name[0], FAULTS), 0);
    EQUAL(strcmp(info.name[1], MINOR), 0);
    EQUAL(info.code[0], test_code_of(FAULTS));
    EQUAL(info.code[1], test_code_of(MINOR));
    OK(PAPI_get_event_info(PAPI_L1_TCM, &info));
    EQUAL(info.count, 3);
    EQUAL(strcmp(info.derived, "DERIVED_POSTFIX"), 0);
    EQUAL(strcmp(info.postfix, "N0|4|*|N1|2|*|+|N2|-|"), 0);
    OK(PAPI_get_event_info(PAPI_L1_DCM, &info));
    EQUAL(info.count, 1);
    EQUAL(strcmp(info.derived, "NOT_DERIVED"), 0);
    PAPI_shutdown();
}

static void derived_events_describe_themselves(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_file(derived_table, derived_info, NULL);
}

/* Many presets on few counters. */
static void many_presets(void *argument)
{
    long long values[128];
    int es = PAPI_NULL, n = 0, error = PAPI_OK;
    (void)argument;
    test_init();
    OK(PAPI_create_eventset(&es));
    for (int i = 0; error == PAPI_OK && i < 100; i++) {
        error = PAPI_add_event(es, PAPI_PRESET_MASK | i);
        n += error == PAPI_OK;
    }
    EQUAL(error, PAPI_ECNFLCT);
    EQUAL(PAPI_num_events(es), n);
    OK(PAPI_start(es));
    test_touch_pages(100);
    OK(PAPI_stop(es, values));
    for (int i = 0; i < n; i++)
        EQUAL(values[i], i % 2 ? 2 * values[0] : values[0]);
    COUNTED(values[0], 100);
    test_drop(es);
    PAPI_shutdown();
}

static void full_of_presets(void **state)
{
    char text[20000], name[PAPI_MAX_STR_LEN];
    int used = 0;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    used += snprintf(text, sizeof text, "CPU,perf\n");
    for (int i = 0; i < 100; i++) {
        OK(PAPI_event_code_to_name(PAPI_PRESET_MASK | i, name));
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "PRESET,%s,%s\n", name,
                     i % 2 ? "DERIVED_POSTFIX,N0|2|*|,perf::PAGE-FAULTS" : "NOT_DERIVED,perf::PAGE-FAULTS");
    }
    with_file(text, many_presets, NULL);
}

/* ---- the rules of tables */

struct mapping {
    int preset;
    const char *native; /* NULL: nothing of this file */
};

static void check_mappings(void *argument)
{
    PAPI_event_info_t info;
    test_init();
    for (const struct mapping *m = argument; m->preset != 0; m++) {
        OK(PAPI_get_event_info(m->preset, &info));
        if (m->native != NULL) {
            OK(PAPI_query_event(m->preset));
            EQUAL(info.count, 1);
            EQUAL(strcmp(info.name[0], m->native), 0);
        } else if (info.count > 0) {
            CHECK(strncmp(info.name[0], "perf::", 6) != 0);
        }
    }
    EQUAL(strlen(PAPI_get_component_info(0)->partially_disabled_reason) > 0 &&
              strstr(PAPI_get_component_info(0)->partially_disabled_reason, getenv("PAPI_CSV_EVENT_FILE")),
          0);
    PAPI_shutdown();
}

static void later_tables_replace_and_append(void **state)
{
    struct mapping wanted[] = {
        {PAPI_TOT_INS, CLOCK}, {PAPI_TOT_CYC, MINOR}, {PAPI_FP_OPS, FAULTS}, {0, NULL}};

    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_file("CPU,perf\nPRESET,PAPI_TOT_INS,NOT_DERIVED,perf::PAGE-FAULTS\n"
              "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::MINOR-FAULTS\n"
              "CPU,perf\nPRESET,PAPI_TOT_INS,NOT_DERIVED,perf::TASK-CLOCK\n"
              "PRESET,PAPI_FP_OPS,NOT_DERIVED,perf::PAGE-FAULTS\n",
              check_mappings, wanted);
}

static void cpu_rows_are_synonyms(void **state)
{
    struct mapping wanted[] = {{PAPI_TOT_INS, CLOCK}, {PAPI_CA_SNP, NULL}, {PAPI_CA_SHR, FAULTS}, {0, NULL}};
    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_file("CPU,no_such_processor\nCPU,perf\nCPU,nor_this\n"
              "PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::TASK-CLOCK\n"
              "CPU,no_such_processor\n"
              "PRESET,PAPI_CA_SNP,NOT_DERIVED,perf::PAGE-FAULTS\n"
              "CPU,perf\nPRESET,PAPI_CA_SHR,NOT_DERIVED,perf::PAGE-FAULTS\n",
              check_mappings, wanted);
}

static void line_ends_blanks_and_comments(void **state)
{
    struct mapping wanted[] = {
        {PAPI_TOT_INS, CLOCK}, {PAPI_TOT_CYC, FAULTS}, {PAPI_FP_OPS, MINOR}, {0, NULL}};

    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_file("# a comment, with \"a quote\r\n\r\nCPU, perf\r\n\n"
              "PRESET, PAPI_TOT_INS , NOT_DERIVED,  perf::TASK-CLOCK ,,,\r"
              "PRESET,PAPI_TOT_CYC,NOT_DERIVED,\"perf::PAGE-FAULTS\"\r\n"
              "#PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::MINOR-FAULTS\n"
              "PRESET,PAPI_FP_OPS,NOT_DERIVED,perf::MINOR-FAULTS", /* no line end */
              check_mappings, wanted);
}

static void empty_files(void **state)
{
    struct mapping wanted[] = {{PAPI_CA_SNP, NULL}, {0, NULL}};
    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_file("", check_mappings, wanted);
    with_file("\n", check_mappings, wanted);
    with_file("# nothing", check_mappings, wanted);
}

/* ---- files with mistakes */

#define GOOD_BEFORE "CPU,perf\nPRESET,PAPI_TOT_INS,NOT_DERIVED,perf::PAGE-FAULTS\n"
#define GOOD_AFTER "\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::TASK-CLOCK\n"

/* The component tells file and line of what it could not read. */
static void check_named(int line)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(0);
    char place[512];
    CHECK(info != NULL);
    if (line > 0)
        snprintf(place, sizeof place, "%s:%d", getenv("PAPI_CSV_EVENT_FILE"), line);
    else
        snprintf(place, sizeof place, "%s", getenv("PAPI_CSV_EVENT_FILE"));
    if (strstr(info->partially_disabled_reason, place) == NULL)
        fprintf(stderr, "# no %s in: %s\n", place, info->partially_disabled_reason);
    CHECK(strstr(info->partially_disabled_reason, place) != NULL);
    CHECK(info->partially_disabled != 0);
}

static void good_rows_count(void)
{
    long long values[2] = {-1, -1};
    int es = PAPI_NULL;
    OK(PAPI_query_event(PAPI_TOT_INS));
    OK(PAPI_query_event(PAPI_TOT_CYC));
    OK(PAPI_create_eventset(&es));
    OK(PAPI_add_event(es, PAPI_TOT_INS));
    OK(PAPI_add_event(es, PAPI_TOT_CYC));
    OK(PAPI_start(es));
    test_touch_pages(50);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], 50);
    CHECK(values[1] > 0);
    test_drop(es);
}

static void after_a_mistake(void *argument)
{
    PAPI_event_info_t info;
    test_init();
    good_rows_count();
    OK(PAPI_get_event_info(PAPI_FP_OPS, &info)); /* the bad row defined nothing */
    CHECK(info.count == 0 || strncmp(info.name[0], "perf::", 6) != 0);
    check_named(*(int *)argument);
    PAPI_shutdown();
}

static void rows_with_mistakes(void **state)
{
    static const char *const rows[] = {
        "PRESET,PAPI_NONSENSE,NOT_DERIVED,perf::PAGE-FAULTS",
        "PRESET,,NOT_DERIVED,perf::PAGE-FAULTS",
        "PRESET,perf::PAGE-FAULTS,NOT_DERIVED,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_NONSENSE,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,,perf::PAGE-FAULTS",
        "PRESET",
        "PRESET,PAPI_FP_OPS",
        "PRESET,PAPI_FP_OPS,NOT_DERIVED",
        "PRESET,PAPI_FP_OPS,NOT_DERIVED,,,",
        "PRESET,PAPI_FP_OPS,NOT_DERIVED,perf::PAGE-FAULTS,perf::MINOR-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_ADD,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_SUB,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_CMPD,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|+|,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,+|N0|N1|,perf::PAGE-FAULTS,perf::MINOR-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|N1|,perf::PAGE-FAULTS,perf::MINOR-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|N1|+|,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N99999999999999999999|,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N-1|,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N|,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|0|/|,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|2|^|,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|x|*|,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|99999999999999999999|*|,perf::PAGE-FAULTS",
        "PRESET,PAPI_FP_OPS,NOT_DERIVED,\"perf::PAGE-FAULTS",
        "NONSENSE,PAPI_FP_OPS,NOT_DERIVED,perf::PAGE-FAULTS",
    };

    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        int line = 3;

        printf("# %s\n", rows[i]);
        snprintf(text, sizeof text, GOOD_BEFORE "%s" GOOD_AFTER, rows[i]);
        with_file(text, after_a_mistake, &line);
    }
}

/* The row is in order; that the native event does not exist shows when the preset is asked for. */
static void unknown_native(void *argument)
{
    (void)argument;
    test_init();
    good_rows_count();
    CODE(PAPI_query_event(PAPI_FP_OPS), PAPI_ENOEVNT);
    CHECK(strstr(PAPI_strerror(PAPI_ENOEVNT), "NO-SUCH-EVENT") != NULL);
    PAPI_shutdown();
}

static void native_events_that_do_not_exist(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_file(GOOD_BEFORE "PRESET,PAPI_FP_OPS,NOT_DERIVED,perf::NO-SUCH-EVENT" GOOD_AFTER, unknown_native,
              NULL);
    with_file(GOOD_BEFORE "PRESET,PAPI_FP_OPS,DERIVED_ADD,perf::PAGE-FAULTS,perf::NO-SUCH-EVENT" GOOD_AFTER,
              unknown_native, NULL);
}

static void huge_name(void *argument)
{
    (void)argument;
    test_init();
    good_rows_count();
    CHECK(PAPI_query_event(PAPI_FP_OPS) != PAPI_OK);
    PAPI_shutdown();
}

static void huge_lines(void **state)
{
    size_t size = 1 << 20;
    char *text = malloc(size + 1024);
    int line = 3, head;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    CHECK(text != NULL);
    head = sprintf(text, GOOD_BEFORE "PRESET,PAPI_FP_OPS,NOT_DERIVED,");
    memset(text + head, 'x', size);
    strcpy(text + head + size, GOOD_AFTER);
    with_file(text, huge_name, NULL);
    for (size_t i = 0; i < size; i += 2)
        text[head + i] = ',';
    with_file(text, after_a_mistake, &line);
    head = sprintf(text, GOOD_BEFORE "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,");
    for (size_t i = 0; i + 3 <= size; i += 3)
        memcpy(text + head + i, "N0|", 3);
    strcpy(text + head + size / 3 * 3, ",perf::PAGE-FAULTS" GOOD_AFTER);
    with_file(text, after_a_mistake, &line);
    free(text);
}

static void binary_garbage(void **state)
{
    static char text[20000];
    size_t used = 0;
    unsigned seed = 12345;
    int line = 3;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    used += (size_t)sprintf(text, GOOD_BEFORE);
    text[used++] = '\1';
    for (int i = 0; i < 16000; i++) {
        seed = seed * 1103515245 + 12345;
        text[used++] = (char)(seed >> 16);
    }
    memcpy(text + used, GOOD_AFTER, sizeof GOOD_AFTER - 1);
    used += sizeof GOOD_AFTER - 1;
    test_presets(text, used);
    test_in_child(after_a_mistake, &line);
    unsetenv("PAPI_CSV_EVENT_FILE");
}

/* ---- what cannot be read as a file */

/* The table is missed, and nothing else. may: a code that the kernel's own events have for this user. */
static void unreadable(void *may)
{
    test_init();
    CHECK(PAPI_query_event(PAPI_CA_SNP) <= 0);
    if (may == NULL || PAPI_query_named_event(FAULTS) != *(int *)may)
        OK(PAPI_query_named_event(FAULTS));
    check_named(0);
    PAPI_shutdown();
}

/* The kernel may let root alone count (kernel.perf_event_paranoid 3). */
static void unreadable_for_nobody(void *argument)
{
    int refused = PAPI_EPERM;
    if (geteuid() == 0) {
        argument = &refused;
        EQUAL(setgroups(0, NULL), 0);
        EQUAL(setresgid(65534, 65534, 65534), 0);
        EQUAL(setresuid(65534, 65534, 65534), 0);
    }
    if (access(getenv("PAPI_CSV_EVENT_FILE"), R_OK) == 0)
        return;
    unreadable(argument);
}

static void files_that_cannot_be_read(void **state)
{
    static const char *const paths[] = {"/", "/tmp", "/no/such/file.csv", "/dev/zero", "/dev/tty"};
    const char *path;

    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        printf("# %s\n", paths[i]);
        setenv("PAPI_CSV_EVENT_FILE", paths[i], 1);
        test_in_child(unreadable, NULL);
    }
    path = test_presets(GOOD_BEFORE, strlen(GOOD_BEFORE));
    EQUAL(chmod(path, 0), 0);
    test_in_child(unreadable_for_nobody, NULL);
    unsetenv("PAPI_CSV_EVENT_FILE");
}

/* ---- the older name of the variable */

static void old_name(void *argument)
{
    (void)argument;
    test_init();
    good_rows_count();
    PAPI_shutdown();
}

static void older_variable(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    setenv("PAPI_PERFMON_EVENT_FILE", test_presets(GOOD_BEFORE GOOD_AFTER, strlen(GOOD_BEFORE GOOD_AFTER)),
           1);
    unsetenv("PAPI_CSV_EVENT_FILE");
    test_in_child(old_name, NULL);
    unsetenv("PAPI_PERFMON_EVENT_FILE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_on_software_events),
        cmocka_unit_test(derived_types_equal_their_parts),
        cmocka_unit_test(derived_events_accumulate),
        cmocka_unit_test(derived_events_describe_themselves),
        cmocka_unit_test(full_of_presets),
        cmocka_unit_test(later_tables_replace_and_append),
        cmocka_unit_test(cpu_rows_are_synonyms),
        cmocka_unit_test(line_ends_blanks_and_comments),
        cmocka_unit_test(empty_files),
        cmocka_unit_test(rows_with_mistakes),
        cmocka_unit_test(native_events_that_do_not_exist),
        cmocka_unit_test(huge_lines),
        cmocka_unit_test(binary_garbage),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(older_variable),
    };

    return TEST_RUN(tests);
}
