/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events by enumeration, their qualifiers, and events that files and programs define: listed, described,
 * and counted on real counters beside their parts.
 */
#include "testing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static PAPI_event_info_t info;

/* ---- files */

static char folder[] = "/tmp/fpapi-user-events-XXXXXX", path[256];

static void remove_files(void)
{
    unlink(path);
    rmdir(folder);
}

static void write_file(const char *text, size_t size)
{
    FILE *file;
    unlink(path);
    file = fopen(path, "w");
    CHECK(file != NULL);
    EQUAL(fwrite(text, 1, size, file), size);
    EQUAL(fclose(file), 0);
}

/* Each body has a library of its own, which finds the file of user events. */
static void with_events(const char *text, void (*body)(void *))
{
    PAPI_shutdown();
    write_file(text, strlen(text));
    setenv("PAPI_USER_EVENTS_FILE", path, 1);
    test_in_child(body, NULL);
    unsetenv("PAPI_USER_EVENTS_FILE");
}

static int contains(const char *text, const char *part)
{
    if (text != NULL && strstr(text, part) != NULL)
        return 1;
    fprintf(stderr, "# \"%s\" is not in \"%s\"\n", part, text ? text : "(null)");
    return 0;
}

/* ---- tables of a processor that need not be here: the first test, as libpfm4 looks only once */

static void mask_by_mask(int code, int *masks)
{
    char base[PAPI_MAX_STR_LEN], name[PAPI_MAX_STR_LEN];
    int mask = code, error, back, before;
    OK(PAPI_event_code_to_name(code, base));
    while (before = mask, (error = PAPI_enum_event(&mask, PAPI_NTV_ENUM_UMASKS)) == PAPI_OK) {
        ++*masks;
        OK(PAPI_event_code_to_name(mask, name));
        CHECK(strncmp(name, base, strlen(base)) == 0 && name[strlen(base)] == ':');
        OK(PAPI_event_name_to_code(name, &back));
        EQUAL(back, mask);
        OK(PAPI_get_event_info(mask, &info));
        EQUAL(strcmp(info.symbol, name), 0);
        CHECK(info.long_descr[0] != 0);
    }
    EQUAL(error, PAPI_ENOEVNT);
    EQUAL(mask, before);
}

static void another_processor(void *argument)
{
    int code = PAPI_NATIVE_MASK, events = 0, masks = 0, error, other, presets = 0;
    char name[PAPI_MAX_STR_LEN];
    (void)argument;
    setenv("LIBPFM_FORCE_PMU", "icx", 1);
    test_init();
    for (error = PAPI_enum_event(&code, PAPI_ENUM_FIRST); error == PAPI_OK;
         error = PAPI_enum_event(&code, PAPI_ENUM_EVENTS)) {
        OK(PAPI_event_code_to_name(code, name));
        if (strncmp(name, "icx::", 5) != 0)
            continue;
        events++;
        mask_by_mask(code, &masks);
    }
    EQUAL(error, PAPI_ENOEVNT);
    CHECK(events > 50 && masks > 300);

    OK(PAPI_event_name_to_code("icx::BR_INST_RETIRED:COND_TAKEN:u=1:k=0:c=2:i", &code));
    OK(PAPI_event_code_to_name(code, name));
    EQUAL(strcmp(name, "icx::BR_INST_RETIRED:COND_TAKEN:u=1:k=0:c=2:i"), 0);
    CODE(PAPI_event_name_to_code("icx::BR_INST_RETIRED:NO_SUCH_MASK", &other), PAPI_ENOEVNT);
    CODE(PAPI_event_name_to_code("icx::BR_INST_RETIRED:COND_TAKEN:c=99999", &other), PAPI_ENOEVNT);
    CODE(PAPI_event_name_to_code("icx::UNHALTED_CORE_CYCLES:period=1000", &other), PAPI_ENOEVNT);
    CHECK(contains(PAPI_strerror(PAPI_ENOEVNT), "PAPI_overflow"));

    /* Presets of this processor are described, whether they count or not. */
    for (int i = 0; PAPI_get_event_info(PAPI_PRESET_MASK | i, &info) == PAPI_OK; i++)
        if (info.name[0][0] != 0) {
            presets++;
            CHECK(info.count > 0 || info.note[0] != 0);
        }
    CHECK(presets > 20);
    PAPI_shutdown();
}

static void masks_together(void *argument)
{
    static const char name[] = "amd64_fam19h_zen4::RETIRED_X87_FP_OPS:ADD_SUB_OPS:MUL_OPS:u=1";
    char back[PAPI_MAX_STR_LEN];
    int code;
    (void)argument;
    setenv("LIBPFM_FORCE_PMU", "amd64_fam19h_zen4", 1);
    test_init();
    OK(PAPI_event_name_to_code(name, &code));
    OK(PAPI_event_code_to_name(code, back));
    EQUAL(strcmp(back, name), 0);
    EQUAL(test_code_of(name), code);
    CHECK(test_code_of("amd64_fam19h_zen4::RETIRED_X87_FP_OPS:ADD_SUB_OPS") != code);
    CODE(PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASK_COMBOS), PAPI_ENOEVNT);
    CHECK(contains(PAPI_strerror(PAPI_ENOEVNT), "can be named"));
    PAPI_shutdown();
}

static void tables_of_other_processors(void **state)
{
    (void)state;
#if defined(__arm__) || defined(__s390x__)
    SKIP("libpfm4 has Intel's tables on x86 alone");
#endif
    PAPI_shutdown();
    test_in_child(another_processor, NULL);
    test_in_child(masks_together, NULL);
}

/* ---- presets */

static void presets_are_listed_by_kind(void **state)
{
    unsigned covered[PAPI_MAX_PRESET_EVENTS] = {0};
    int n = 1, code = PAPI_PRESET_MASK;
    (void)state;
    test_init();
    while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK)
        EQUAL(code, PAPI_PRESET_MASK | n++);
    EQUAL(PAPI_PRESET_MASK | n, PAPI_END);
    EQUAL(code, PAPI_END - 1);
    for (int kind = PAPI_PRESET_ENUM_MSC; kind <= PAPI_PRESET_ENUM_FP; kind++) {
        code = PAPI_PRESET_MASK | PAPI_MAX_PRESET_EVENTS;
        CODE(PAPI_enum_event(&code, kind), PAPI_ENOEVNT);
        OK(PAPI_enum_event(&code, PAPI_ENUM_FIRST));
        EQUAL(code, PAPI_PRESET_MASK);
        do {
            OK(PAPI_get_event_info(code, &info));
            if (info.event_type & 1U << kind)
                covered[code & PAPI_UE_AND_MASK] |= 1U << kind;
            else
                EQUAL(code, PAPI_PRESET_MASK); /* where the stepping began */
        } while (PAPI_enum_event(&code, kind) == PAPI_OK);
    }
    for (int i = 0; i < n; i++) {
        OK(PAPI_get_event_info(PAPI_PRESET_MASK | i, &info));
        EQUAL(covered[i], info.event_type);
        CHECK(covered[i] != 0);
    }
    OK(PAPI_get_event_info(PAPI_L2_TCM, &info));
    EQUAL(info.event_type, PAPI_PRESET_BIT_CACH | PAPI_PRESET_BIT_L2);
    OK(PAPI_get_event_info(PAPI_FP_OPS, &info));
    EQUAL(info.event_type, PAPI_PRESET_BIT_FP | PAPI_PRESET_BIT_INS);
    code = PAPI_PRESET_MASK;
    CODE(PAPI_enum_event(&code, PAPI_PRESET_ENUM_FIRST_COMP), PAPI_ENOEVNT);
}

static int step_available(int modifier, unsigned char *listed)
{
    int code = PAPI_PRESET_MASK, n = 0;
    listed[0] = PAPI_query_event(code) == PAPI_OK;
    while (PAPI_enum_event(&code, modifier) == PAPI_OK) {
        listed[code & PAPI_UE_AND_MASK] = 1;
        n++;
    }
    return n + listed[0];
}

static void available_presets(void *argument)
{
    unsigned char one[PAPI_MAX_PRESET_EVENTS] = {0}, two[PAPI_MAX_PRESET_EVENTS] = {0};
    int n;
    (void)argument;
    test_init();
    n = step_available(PAPI_PRESET_ENUM_AVAIL, one);
    EQUAL(step_available(PAPI_PRESET_ENUM_CPU_AVAIL, two), n);
    EQUAL(memcmp(one, two, sizeof one), 0);
    CHECK(n >= 4);
    for (int i = 0; (PAPI_PRESET_MASK | i) != PAPI_END; i++)
        EQUAL(one[i], PAPI_query_event(PAPI_PRESET_MASK | i) == PAPI_OK);
    PAPI_shutdown();
}

static void presets_that_count_are_listed(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_software_presets();
    test_in_child(available_presets, NULL);
    unsetenv("PAPI_CSV_EVENT_FILE");
}

/* ---- native events */

static void natives_by_component(void **state)
{
    char name[PAPI_MAX_STR_LEN];
    int all = 0, apart = 0, code = PAPI_NATIVE_MASK, error;
    (void)state;
    test_init();
    for (error = PAPI_enum_event(&code, PAPI_ENUM_FIRST); error == PAPI_OK; all++)
        error = PAPI_enum_event(&code, PAPI_ENUM_EVENTS);
    for (int cidx = 0; cidx < PAPI_num_components(); cidx++) {
        code = PAPI_NATIVE_MASK;
        for (error = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cidx); error == PAPI_OK; apart++) {
            EQUAL(PAPI_get_event_component(code), cidx);
            OK(PAPI_event_code_to_name(code, name));
            EQUAL(test_code_of(name), code);
            error = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, cidx);
        }
        EQUAL(error, PAPI_ENOEVNT);
        code = PAPI_PRESET_MASK; /* the presets belong to one of them */
        error = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cidx);
        EQUAL(error, PAPI_get_event_component(PAPI_TOT_INS) == cidx ? PAPI_OK : PAPI_ENOEVNT);
    }
    EQUAL(apart, all);
    for (int kind = PAPI_NTV_ENUM_UMASK_COMBOS; kind <= PAPI_NTV_ENUM_GROUPS; kind++) {
        int before = code = test_code_of(FAULTS);
        CODE(PAPI_enum_event(&code, kind), PAPI_ENOEVNT);
        EQUAL(code, before);
    }
}

static void qualifiers_can_be_put_behind_names(void **state)
{
    char name[PAPI_HUGE_STR_LEN + PAPI_2MAX_STR_LEN];
    static PAPI_event_info_t with;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    OK(PAPI_get_event_info(test_code_of(FAULTS), &info));
    CHECK(info.num_quals >= 2 && info.num_quals <= PAPI_MAX_COMP_QUALS);
    EQUAL(strcmp(info.quals[0], ":u=1"), 0);
    EQUAL(strcmp(info.quals[1], ":k=1"), 0);
    for (int i = 0; i < info.num_quals; i++) {
        CHECK(info.quals_descrs[i][0] != 0);
        snprintf(name, sizeof name, "%s%s", info.symbol, info.quals[i]);
        OK(PAPI_get_event_info(test_code_of(name), &with));
        EQUAL(strcmp(with.symbol, name), 0);
    }
    CHECK(info.quals[PAPI_MAX_COMP_QUALS - 1][0] == 0 || info.num_quals == PAPI_MAX_COMP_QUALS);
}

/* Faults of user mode, or of the kernel that fills fresh pages in a read(2). */
static void touch_in_kernel(int n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)n * page;
    char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    CHECK(pages != MAP_FAILED && zero >= 0);
    madvise(pages, size, MADV_NOHUGEPAGE);
    EQUAL(read(zero, pages, size), size);
    close(zero);
    munmap(pages, size);
}

static void qualifiers_choose_the_domain(void **state)
{
    long long v[3];
    int es, kernel;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    kernel = PAPI_query_named_event(FAULTS ":u=0:k=1") == PAPI_OK;
    es = test_set(FAULTS ":u=1:k=0", kernel ? FAULTS ":u=0:k=1" : FAULTS, NULL);
    test_touch_pages(1);
    touch_in_kernel(1);
    OK(PAPI_start(es));
    test_touch_pages(100);
    OK(PAPI_stop(es, v));
    COUNTED(v[0], 100);
    if (kernel)
        CHECK(v[1] < 50);
    else
        COUNTED(v[1], 100);
    OK(PAPI_start(es));
    touch_in_kernel(200);
    OK(PAPI_stop(es, v));
    CHECK(v[0] < 100);
    if (kernel)
        COUNTED(v[1], 200);
    else
        printf("# the kernel's mode may not be counted by this user\n");
    test_drop(es);
}

/* ---- the file of user events */

static const char user_events[] =
    "# F faults, M minor ones, J major ones\n"
    "#define FACTOR 4\n"
    "EVENT,MY_FAULTS,NOT_DERIVED,perf::PAGE-FAULTS,NOTE,a note,SDESC,faults,LDESC,all faults\n"
    "EVENT,MY_SUM,DERIVED_ADD,perf::PAGE-FAULTS,perf::MINOR-FAULTS\n"
    "EVENT,MY_FORMULA,DERIVED_POSTFIX,N0|FACTOR|*|N1|-|,perf::PAGE-FAULTS,perf::MAJOR-FAULTS\n"
    "EVENT,OF_MINE,DERIVED_SUB,MY_SUM,MY_FORMULA,perf::MINOR-FAULTS\n"
    "EVENT,OF_THOSE,DERIVED_POSTFIX,N0|2|*|N1|+|,OF_MINE,MY_FAULTS\n"
    "EVENT,FIRST_OF,DERIVED_CMPD,MY_FORMULA,MY_SUM\n";

static void events_of_a_file(void *argument)
{
    static const char *const names[] = {"MY_FAULTS", "MY_SUM",   "MY_FORMULA",
                                        "OF_MINE",   "OF_THOSE", "FIRST_OF"};
    enum { N = sizeof names / sizeof *names };
    long long v[N + 3], f, m, j;
    char name[PAPI_MAX_STR_LEN];
    int es = PAPI_NULL, code, codes[N + 3], n = N + 3;

    (void)argument;
    test_init();
    OK(PAPI_create_eventset(&es));
    code = PAPI_UE_MASK;
    OK(PAPI_enum_event(&code, PAPI_ENUM_FIRST));
    for (int i = 0; i < N; i++) {
        EQUAL(code, PAPI_UE_MASK | i);
        OK(PAPI_event_code_to_name(code, name));
        EQUAL(strcmp(name, names[i]), 0);
        EQUAL(test_code_of(names[i]), code);
        OK(PAPI_query_event(code));
        EQUAL(PAPI_get_event_component(code), 0);
        OK(PAPI_add_named_event(es, names[i]));
        CODE(PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL), i + 1 < N ? PAPI_OK : PAPI_ENOEVNT);
    }
    OK(PAPI_add_named_event(es, FAULTS));
    OK(PAPI_add_named_event(es, MINOR));
    OK(PAPI_add_named_event(es, MAJOR));
    OK(PAPI_list_events(es, codes, &n));
    EQUAL(codes[1], PAPI_UE_MASK | 1);
    test_touch_pages(1);
    OK(PAPI_start(es));
    test_touch_pages(100);
    OK(PAPI_read(es, v));
    f = v[N], m = v[N + 1], j = v[N + 2];
    COUNTED(f, 100);
    EQUAL(v[0], f);
    EQUAL(v[1], f + m);
    EQUAL(v[2], 4 * f - j);
    EQUAL(v[3], (f + m) - (4 * f - j) - m);
    EQUAL(v[4], 2 * ((f + m) - (4 * f - j) - m) + f);
    EQUAL(v[5], 4 * f - j);
    OK(PAPI_stop(es, v));
    OK(PAPI_remove_named_event(es, "MY_SUM"));
    CODE(PAPI_remove_named_event(es, "MY_SUM"), PAPI_EINVAL);
    test_drop(es);

    OK(PAPI_get_event_info(PAPI_UE_MASK, &info));
    EQUAL(strcmp(info.symbol, "MY_FAULTS"), 0);
    EQUAL(strcmp(info.short_descr, "faults"), 0);
    EQUAL(strcmp(info.long_descr, "all faults"), 0);
    EQUAL(strcmp(info.note, "a note"), 0);
    EQUAL(strcmp(info.derived, "NOT_DERIVED"), 0);
    EQUAL(info.count, 1);
    EQUAL(info.event_type, PAPI_PRESET_BIT_MSC);
    /* An event made of other events is described by the native events that it counts. */
    OK(PAPI_get_event_info(PAPI_UE_MASK | 3, &info));
    EQUAL(strcmp(info.derived, "DERIVED_POSTFIX"), 0);
    EQUAL(strcmp(info.postfix, "N0|N1|+|N0|4|*|N2|-|-|N1|-|"), 0);
    EQUAL(info.count, 3);
    EQUAL(strcmp(info.name[2], MAJOR), 0);
    PAPI_shutdown();
}

static void user_events_count(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_events(user_events, events_of_a_file);
}

static void circles(void *argument)
{
    static const char *const names[] = {"SELF", "PING", "PONG"};
    int es = PAPI_NULL, code;

    (void)argument;
    test_init();
    OK(PAPI_create_eventset(&es));
    for (int i = 0; i < 3; i++) {
        code = test_code_of(names[i]);
        CODE(PAPI_query_event(code), PAPI_ENOEVNT);
        CHECK(contains(PAPI_strerror(PAPI_ENOEVNT), "defined through itself"));
        CODE(PAPI_add_event(es, code), PAPI_ENOEVNT);
        OK(PAPI_get_event_info(code, &info));
        EQUAL(info.count, 0);
        CHECK(contains(info.note, "defined through itself"));
        CHECK(info.name[0][0] != 0);
    }
    CODE(PAPI_query_named_event("E39"), PAPI_ENOEVNT); /* 2^39 terms */
    OK(PAPI_query_named_event("E5"));
    CODE(PAPI_query_named_event("UNKNOWN"), PAPI_ENOEVNT);
    CHECK(contains(PAPI_strerror(PAPI_ENOEVNT), "NO-SUCH-EVENT"));
    OK(PAPI_query_named_event(FAULTS));
    test_drop(es);
    PAPI_shutdown();
}

static void events_in_circles(void **state)
{
    char text[8000];
    int used = 0;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    used += sprintf(text,
                    "EVENT,SELF,NOT_DERIVED,SELF\nEVENT,PING,DERIVED_ADD," FAULTS ",PONG\n"
                    "EVENT,PONG,DERIVED_POSTFIX,N0|2|*|,PING\nEVENT,UNKNOWN,NOT_DERIVED,perf::NO-SUCH-EVENT\n"
                    "EVENT,E0,NOT_DERIVED," FAULTS "\n");
    for (int i = 1; i < 40; i++)
        used += sprintf(text + used, "EVENT,E%d,DERIVED_ADD,E%d,E%d\n", i, i - 1, i - 1);
    with_events(text, circles);
}

static void deep(void *argument)
{
    (void)argument;
    test_init();
    CODE(PAPI_query_named_event("C30"), PAPI_ENOEVNT); /* 2^30 definitions, one term */
    CHECK(contains(PAPI_strerror(PAPI_ENOEVNT), "more than"));
    OK(PAPI_query_named_event("C3"));
    PAPI_shutdown();
}

static void events_in_depth(void **state)
{
    char text[4000];
    int used;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    used = sprintf(text, "EVENT,C0,NOT_DERIVED," FAULTS "\n");
    for (int i = 1; i < 31; i++)
        used += sprintf(text + used, "EVENT,C%d,DERIVED_CMPD,C%d,C%d\n", i, i - 1, i - 1);
    with_events(text, deep);
}

/* ---- when it is read, and what is wrong with it */

static void read_late(void *argument)
{
    (void)argument;
    unlink(path);
    test_init();
    PAPI_shutdown();
    test_init();
    write_file(user_events, strlen(user_events));
    OK(PAPI_query_named_event("MY_SUM"));
    PAPI_shutdown();
    unlink(path);
    test_init();
    CODE(PAPI_query_named_event("MY_SUM"), PAPI_ENOEVNT);
    CHECK(contains(PAPI_strerror(PAPI_ENOEVNT), "No such file"));
    CHECK(contains(PAPI_strerror(PAPI_ENOEVNT), path));
    CHECK(contains(PAPI_get_component_info(0)->partially_disabled_reason, path));
    OK(PAPI_query_named_event(FAULTS));
    PAPI_shutdown();
}

static void files_are_read_when_events_are_asked_for(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_events("", read_late);
}

static void pipe_and_folder(void *argument)
{
    (void)argument;
    alarm(60);
    unlink(path);
    EQUAL(mkfifo(path, 0600), 0);
    test_init();
    CODE(PAPI_query_named_event("MY_SUM"), PAPI_ENOEVNT);
    CHECK(contains(PAPI_strerror(PAPI_ENOEVNT), "not a regular file"));
    CODE(PAPI_encode_events(path, 1), PAPI_ESYS);
    CHECK(contains(PAPI_strerror(PAPI_ESYS), "not a regular file"));
    PAPI_shutdown();
    setenv("PAPI_USER_EVENTS_FILE", folder, 1);
    test_init();
    CODE(PAPI_query_named_event("MY_SUM"), PAPI_ENOEVNT);
    OK(PAPI_query_named_event(FAULTS));
    PAPI_shutdown();
    unlink(path);
}

static void pipes_do_not_hang(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_events("", pipe_and_folder);
}

/* Runs body and returns the length of what it prints on stderr, the start of which is put into text. */
static size_t printed(void (*body)(void), char *text, size_t size)
{
    int pipes[2], saved = dup(2);
    ssize_t n;
    EQUAL(pipe(pipes), 0);
    fflush(stderr);
    dup2(pipes[1], 2);
    body();
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    close(pipes[1]);
    n = read(pipes[0], text, size - 1);
    close(pipes[0]);
    text[n > 0 ? n : 0] = 0;
    return n > 0 ? (size_t)n : 0;
}

static void ask(void)
{
    int code;
    PAPI_library_init(PAPI_VER_CURRENT);
    PAPI_event_name_to_code("GOOD", &code);
    PAPI_query_event(code);
    PAPI_shutdown();
}

static void quiet_and_verbose(void *argument)
{
    char text[4096];
    (void)argument;
    EQUAL(printed(ask, text, sizeof text), 0);
    setenv("PAPI_VERBOSE", "1", 1);
    CHECK(printed(ask, text, sizeof text) > 0);
    CHECK(contains(text, ":2: "));
    CHECK(contains(text, path));
}

static void faults_are_printed_on_demand(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    unsetenv("PAPI_VERBOSE");
    with_events("EVENT,GOOD,NOT_DERIVED," FAULTS "\nEVENT,BAD,NOT_DERIVED\n", quiet_and_verbose);
    unsetenv("PAPI_VERBOSE");
}

/* ---- the option */

static int read_option(const char *file)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.events_file = (char *)file;
    return PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option);
}

static void option_adds(void *argument)
{
    static const char first[] = "EVENT,A,NOT_DERIVED," FAULTS "\nEVENT,B,NOT_DERIVED," FAULTS "\n";
    static const char second[] = "EVENT,C,NOT_DERIVED,A\nEVENT,BAD\nEVENT,A,NOT_DERIVED," MINOR "\n"
                                 "EVENT,B,NOT_DERIVED," MINOR "\n";
    int es;

    (void)argument;
    test_init();
    write_file(first, strlen(first));
    OK(read_option(path));
    es = test_set("A", NULL);
    write_file(second, strlen(second));
    CODE(read_option(path), PAPI_EINVAL);
    CHECK(contains(PAPI_strerror(PAPI_EINVAL), ":2: "));
    OK(PAPI_get_event_info(test_code_of("A"), &info)); /* in an event set */
    EQUAL(strcmp(info.name[0], FAULTS), 0);
    OK(PAPI_get_event_info(test_code_of("B"), &info));
    EQUAL(strcmp(info.name[0], MINOR), 0);
    OK(PAPI_query_named_event("C"));
    OK(PAPI_query_named_event("EARLIER"));
    test_drop(es);
    CODE(read_option(path), PAPI_EINVAL);
    OK(PAPI_get_event_info(test_code_of("A"), &info));
    EQUAL(strcmp(info.name[0], MINOR), 0);
    PAPI_shutdown();
    test_init();
    CODE(PAPI_query_named_event("EARLIER"), PAPI_ENOEVNT); /* the variable's file is another now */
    OK(PAPI_query_named_event("A"));
    PAPI_shutdown();
}

static void late_option(void *argument)
{
    test_init();
    OK(PAPI_query_named_event("EARLIER"));
    option_adds(argument);
}

static void the_option_reads_a_file(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    with_events("EVENT,EARLIER,NOT_DERIVED," FAULTS "\n", late_option);
}

/* ---- PAPI_set_event_info */

static void describe(int kind, const char *symbol, const char *derived, const char *postfix)
{
    memset(&info, 0, sizeof info);
    info.event_code = (unsigned)kind;
    strcpy(info.symbol, symbol);
    strcpy(info.derived, derived);
    strcpy(info.postfix, postfix);
    strcpy(info.name[0], FAULTS);
    strcpy(info.name[1], MINOR);
    strcpy(info.note, "mine");
}

static void program_defines(void *argument)
{
    int code = 0, mine, es;
    long long v[3];
    (void)argument;
    test_init();
    describe(PAPI_PRESET_MASK, "MY_PRESET", "DERIVED_POSTFIX", "N0|3|*|N1|-|");
    OK(PAPI_set_event_info(&info, &mine, 0));
    EQUAL(mine, PAPI_END);
    describe(PAPI_UE_MASK, "MY_EVENT", "DERIVED_ADD", "");
    OK(PAPI_set_event_info(&info, &code, 0));
    EQUAL(code, PAPI_UE_MASK);
    es = test_set("MY_PRESET", "MY_EVENT", FAULTS, NULL);
    OK(PAPI_start(es));
    test_touch_pages(70);
    OK(PAPI_stop(es, v));
    COUNTED(v[2], 70);
    EQUAL(v[0], 2 * v[2]);
    EQUAL(v[1], 2 * v[2]);

    /* Enumerated after the others. */
    code = PAPI_END - 1;
    OK(PAPI_enum_event(&code, PAPI_ENUM_EVENTS));
    EQUAL(code, mine);
    CODE(PAPI_enum_event(&code, PAPI_ENUM_EVENTS), PAPI_ENOEVNT);

    describe(PAPI_PRESET_MASK, "my_preset", "DERIVED_SUB", "");
    CODE(PAPI_set_event_info(&info, &code, 0), PAPI_EPERM);
    CODE(PAPI_set_event_info(&info, &code, 1), PAPI_EISRUN);
    OK(PAPI_get_event_info(mine, &info));
    EQUAL(strcmp(info.derived, "DERIVED_POSTFIX"), 0);
    EQUAL(strcmp(info.symbol, "MY_PRESET"), 0);
    OK(PAPI_remove_event(es, mine));
    CODE(PAPI_remove_event(es, mine), PAPI_EINVAL);
    describe(PAPI_PRESET_MASK, "MY_PRESET", "DERIVED_SUB", "");
    OK(PAPI_set_event_info(&info, &code, 1));
    EQUAL(code, mine);
    OK(PAPI_add_event(es, mine));
    OK(PAPI_start(es));
    test_touch_pages(70);
    OK(PAPI_stop(es, v));
    EQUAL(v[2], 0); /* faults less minor ones */
    test_drop(es);
    PAPI_shutdown();
    test_init();
    CODE(PAPI_query_named_event("MY_PRESET"), PAPI_ENOEVNT);
    CODE(PAPI_query_event(mine), PAPI_ENOTPRESET);
    PAPI_shutdown();
}

static void programs_define_events(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_in_child(program_defines, NULL);
}

/* The reference's example: a copy under another name. */
static void copy_and_fill(void *argument)
{
    char name[32];
    int code = -1, last = -1;
    (void)argument;
    test_init();
    OK(PAPI_get_event_info(PAPI_TOT_INS, &info));
    strcpy(info.symbol, "MY_TOT_INS");
    strcpy(info.note, "my version");
    OK(PAPI_set_event_info(&info, &code, 0));
    OK(PAPI_get_event_info(code, &info));
    EQUAL(strcmp(info.note, "my version"), 0);
    EQUAL(strcmp(info.name[0], FAULTS), 0);
    /* A mistake changes nothing. */
    describe(PAPI_PRESET_MASK, "MY_TOT_INS", "DERIVED_POSTFIX", "N0|N1|");
    CODE(PAPI_set_event_info(&info, &last, 1), PAPI_EINVAL);
    describe(PAPI_PRESET_MASK, "MY_TOT_INS", "DERIVED_ADD", "");
    strcpy(info.name[1], "perf::NO-SUCH-EVENT");
    CODE(PAPI_set_event_info(&info, &last, 1), PAPI_EINVAL);
    CHECK(contains(PAPI_strerror(PAPI_EINVAL), "NO-SUCH-EVENT"));
    strcpy(info.name[1], "MY_TOT_INS");
    CODE(PAPI_set_event_info(&info, &last, 1), PAPI_EINVAL);
    CHECK(contains(PAPI_strerror(PAPI_EINVAL), "through itself"));
    EQUAL(last, -1);
    OK(PAPI_get_event_info(code, &info));
    EQUAL(strcmp(info.derived, "NOT_DERIVED"), 0);
    OK(PAPI_query_event(code));
    /* Definitions of presets and user events by PAPI_set_event_info, and their limit of
     * PAPI_MAX_PRESET_EVENTS. */
    describe(PAPI_UE_MASK, "TWICE", "DERIVED_ADD", "");
    strcpy(info.name[0], "PAPI_TOT_INS");
    strcpy(info.name[1], "MY_TOT_INS");
    OK(PAPI_set_event_info(&info, &last, 0));
    OK(PAPI_get_event_info(last, &info));
    EQUAL(strcmp(info.postfix, "N0|N0|+|"), 0);
    EQUAL(info.count, 1);
    for (int i = 1; (PAPI_END & PAPI_UE_AND_MASK) + i < PAPI_MAX_PRESET_EVENTS; i++) {
        snprintf(name, sizeof name, "P%d", i);
        describe(PAPI_PRESET_MASK, name, "DERIVED_ADD", "");
        OK(PAPI_set_event_info(&info, &last, 0));
        EQUAL(last, PAPI_END + i);
    }
    strcpy(info.symbol, "ONE_MORE");
    CODE(PAPI_set_event_info(&info, &last, 0), PAPI_ENOTPRESET);
    for (int i = 1; i < PAPI_MAX_USER_EVENTS; i++) {
        snprintf(name, sizeof name, "U%d", i);
        describe(PAPI_UE_MASK, name, "DERIVED_ADD", "");
        OK(PAPI_set_event_info(&info, &last, 0));
    }
    strcpy(info.symbol, "ONE_MORE");
    CODE(PAPI_set_event_info(&info, &last, 0), PAPI_ENOTPRESET);
    PAPI_shutdown();
}

static void copies_and_full_tables(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_software_presets();
    test_in_child(copy_and_fill, NULL);
    unsetenv("PAPI_CSV_EVENT_FILE");
}

/* ---- PAPI_encode_events */

#define TITLE "name,derived,postfix,short_descr,long_descr,note,[native,...]\n\n"

static int encode(const char *text, int replace)
{
    write_file(text, strlen(text));
    return PAPI_encode_events(path, replace);
}

static void table_of_events(void *argument)
{
    long long v[3];
    int es;
    (void)argument;
    test_init();
    OK(encode(
        TITLE
        "PAPI_CA_SNP,NOT_DERIVED,,\"short, text\",\"long\ntext\",\"a \"\"note\"\"\",perf::PAGE-FAULTS\r\n"
        "MY_SNP,DERIVED_POSTFIX,N0|5|*|,,,,PAPI_CA_SNP\n"
        "PAPI_CA_SHR,,,x,y,,\n",
        1));
    OK(PAPI_get_event_info(PAPI_CA_SNP, &info));
    EQUAL(strcmp(info.short_descr, "short, text"), 0);
    EQUAL(strcmp(info.long_descr, "long text"), 0);
    EQUAL(strcmp(info.note, "a \"note\""), 0);
    es = test_set("PAPI_CA_SNP", "MY_SNP", NULL);
    OK(PAPI_start(es));
    test_touch_pages(30);
    OK(PAPI_stop(es, v));
    COUNTED(v[0], 30);
    EQUAL(v[1], 5 * v[0]);

    /* All of a file or nothing. No processor writes to its instruction cache. */
    CODE(encode(TITLE
                "PAPI_L1_ICW,NOT_DERIVED,,,,,perf::PAGE-FAULTS\nMY_SNP,NOT_DERIVED,,,,,perf::PAGE-FAULTS\n",
                0),
         PAPI_EPERM);
    CHECK(contains(PAPI_strerror(PAPI_EPERM), ":4: "));
    CODE(encode(TITLE
                "PAPI_L1_ICW,NOT_DERIVED,,,,,perf::PAGE-FAULTS\nMY_SNP,NOT_DERIVED,,,,,perf::PAGE-FAULTS\n",
                1),
         PAPI_EISRUN);
    CODE(encode(TITLE
                "PAPI_L1_ICW,NOT_DERIVED,,,,,perf::PAGE-FAULTS\nX,NOT_DERIVED,,,,,Y\nY,NOT_DERIVED,,,,,X\n",
                1),
         PAPI_EINVAL);
    CHECK(contains(PAPI_strerror(PAPI_EINVAL), ":4: X: "));
    CODE(
        encode(TITLE "PAPI_L1_ICW,NOT_DERIVED,,,,,perf::PAGE-FAULTS\nX,DERIVED_X,,,,,perf::PAGE-FAULTS\n", 1),
        PAPI_EINVAL);
    CHECK(contains(PAPI_strerror(PAPI_EINVAL), ":4: \"DERIVED_X\""));
    CODE(encode(TITLE "A,NOT_DERIVED,,,,,perf::PAGE-FAULTS\nA,NOT_DERIVED,,,,,perf::PAGE-FAULTS\n", 0),
         PAPI_EPERM);
    OK(PAPI_get_event_info(PAPI_L1_ICW, &info));
    CHECK(strcmp(info.name[0], FAULTS) != 0);
    CODE(PAPI_query_named_event("A"), PAPI_ENOEVNT);
    CODE(PAPI_query_named_event("X"), PAPI_ENOEVNT);
    OK(encode(TITLE "A,NOT_DERIVED,,,,,perf::PAGE-FAULTS\nA,NOT_DERIVED,,,,,perf::MINOR-FAULTS\n", 1));
    OK(PAPI_get_event_info(test_code_of("A"), &info));
    EQUAL(strcmp(info.name[0], MINOR), 0);
    OK(encode("", 1));
    test_drop(es);
    PAPI_shutdown();
}

static void tables_are_encoded(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_in_child(table_of_events, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_other_processors),
        cmocka_unit_test(presets_are_listed_by_kind),
        cmocka_unit_test(presets_that_count_are_listed),
        cmocka_unit_test(natives_by_component),
        cmocka_unit_test(qualifiers_can_be_put_behind_names),
        cmocka_unit_test(qualifiers_choose_the_domain),
        cmocka_unit_test(user_events_count),
        cmocka_unit_test(events_in_circles),
        cmocka_unit_test(events_in_depth),
        cmocka_unit_test(files_are_read_when_events_are_asked_for),
        cmocka_unit_test(pipes_do_not_hang),
        cmocka_unit_test(faults_are_printed_on_demand),
        cmocka_unit_test(the_option_reads_a_file),
        cmocka_unit_test(programs_define_events),
        cmocka_unit_test(copies_and_full_tables),
        cmocka_unit_test(tables_are_encoded),
    };

    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/events", folder);
    int status = TEST_RUN(tests);
    remove_files();
    return status;
}
