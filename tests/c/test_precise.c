/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Precision of samples, on made machines whose processors' events are page faults: the kernel's answers
 * depend on the precision that it is asked for. Each test is a process of its own, since the library keeps
 * what it has found out as long as the process lives.
 */
#include "made_machine.h"
#include "testing.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define INSTRUCTIONS "cpu/event=0xc0/"
#define BRANCHES "cpu/event=0xc4/"
#define IMPRECISE "cpu/event=0x99/"
#define CYCLES "cpu/event=0x3c/"

enum { PAGES = 64, THRESHOLD = 4 };

/* ---- the kernel */

static struct {
    int most;         /* of the processor */
    bool alone;       /* no other counter has room beside a precise one */
    int level[64], n; /* of the samplers that it was asked for */
    int leader;       /* precise_ip of the last group's first counter */
} kernel;

/* The most precise samples of an event. */
static int most_of(uint64_t config)
{
    int most = config == 0x99 ? 0 : config == 0xc4 ? 2 : 3;
    return most < kernel.most ? most : kernel.most;
}

static int answer(struct perf_event_attr *attr, int thread, int cpu)
{
    (void)thread, (void)cpu;
    int level = (int)attr->precise_ip;
    if (attr->type != PERF_TYPE_RAW)
        return 0;
    if (level > 0 && attr->sample_period == 0)
        return EINVAL;
    if (attr->sample_period != 0)
        kernel.level[kernel.n++ % 64] = level;
    if (level > kernel.most)
        return EOPNOTSUPP;
    if (level > most_of(attr->config))
        return EINVAL;
    if (attr->disabled && attr->sample_period != 0)
        kernel.leader = level;
    else if (!attr->disabled && kernel.alone && (kernel.leader > 0 || level > 0))
        return EINVAL;
    attr->type = PERF_TYPE_SOFTWARE;
    attr->config = PERF_COUNT_SW_PAGE_FAULTS;
    attr->precise_ip = 0;
    return 0;
}

/* max: as sysfs has it, or NULL */
static void machine(int most, const char *max, const char *name)
{
    kernel.most = most;
    made_machine_answer = answer;
    CHECK(made_machine_create() == 0);
    made_machine_put("sys/devices/system/cpu/online", "0-1\n");
    made_machine_put_pmu("cpu", PERF_TYPE_RAW, NULL);
    if (max != NULL)
        made_machine_put("sys/bus/event_source/devices/cpu/caps/max_precise", max);
    if (name != NULL)
        made_machine_put("sys/bus/event_source/devices/cpu/caps/pmu_name", name);
    test_init();
}

static void machine_ends(void)
{
    PAPI_shutdown();
    made_machine_answer = NULL;
    CHECK(made_machine_remove() == 0);
}

/* ---- event sets */

static int overflows;

static void handler(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
    overflows++;
}

static int overflow(int es, const char *event)
{
    return PAPI_overflow(es, test_code_of(event), THRESHOLD, 0, handler);
}

/* The precision of the samples that the set takes. */
static int in_use(int es)
{
    PAPI_option_t option = {.precise = {.eventset = es}};
    OK(PAPI_get_opt(PAPI_PRECISE, &option));
    return option.precise.in_use;
}

static int set_precise(int es, int level)
{
    PAPI_option_t option = {.precise = {.eventset = es, .level = level}};
    return PAPI_set_opt(PAPI_PRECISE, &option);
}

/* Counts known work: every overflow comes, and the count is the work's. */
static void counts_and_overflows(int es, int n)
{
    long long values[4] = {0};
    overflows = 0;
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, values));
    for (int i = 0; i < n; i++)
        COUNTED(values[i], PAGES);
    EQUAL(overflows, values[0] / THRESHOLD);
}

static void takes(const char *event, int level)
{
    int es = test_set(event, NULL);
    EQUAL(in_use(es), -1);
    OK(overflow(es, event));
    EQUAL(in_use(es), level);
    counts_and_overflows(es, 1);
    test_drop(es);
}

/* ---- tests */

static void most_precise(void *unused)
{
    (void)unused;
    machine(3, "3\n", "skylake\n");
    takes(INSTRUCTIONS, 3);
    EQUAL(kernel.n, 1);
    takes(BRANCHES, 2);
    EQUAL(kernel.n, 3);
    takes(IMPRECISE, 0);
    EQUAL(kernel.n, 7);
    /* Levels that were found out are not tried again. */
    takes(BRANCHES, 2);
    takes(IMPRECISE, 0);
    EQUAL(kernel.n, 9);
    takes(FAULTS, 0);
    machine_ends();
}

/* The kernel counts another event in place of cycles there. */
static void cycles_of_skylake(void *unused)
{
    (void)unused;
    machine(3, "3\n", "skylake\n");
    takes(CYCLES, 0);
    EQUAL(kernel.n, 1);
    takes(CYCLES "pp", 2); /* whoever names it gets it */
    machine_ends();
}

static void cycles_of_icelake(void *unused)
{
    (void)unused;
    machine(3, "3\n", "icelake\n");
    takes(CYCLES, 3);
    machine_ends();
}

/* A kernel that would take precise cycles for an event of another PMU, as AMD's does, is not asked. */
static void none_by_default(void *max)
{
    int es;
    machine(2, max, NULL);
    takes(CYCLES, 0);
    takes(INSTRUCTIONS, 0);
    EQUAL(kernel.n, 2);
    es = test_set(CYCLES "pp", NULL);
    REFUSES(overflow(es, CYCLES "pp"), PAPI_ENOSUPP, "ibs_op");
    EQUAL(kernel.n, 2);
    OK(PAPI_start(es)); /* without overflows it is the same event */
    test_touch_pages(PAGES);
    long long value;
    OK(PAPI_stop(es, &value));
    COUNTED(value, PAGES);
    test_drop(es);
    machine_ends();
}

static void by_name(void *unused)
{
    static const struct {
        const char *name;
        int level;
    } rows[] = {
        {INSTRUCTIONS "p", 1},   {INSTRUCTIONS "pp", 2},         {INSTRUCTIONS "ppp", 3},
        {INSTRUCTIONS "upp", 2}, {INSTRUCTIONS ":precise=1", 1}, {INSTRUCTIONS ":precise=0", 0},
        {BRANCHES ":pp", 2},     {IMPRECISE ":precise=0", 0},
    };
    static const char *const none[] = {INSTRUCTIONS "pppp",
                                       INSTRUCTIONS ":precise=4",
                                       INSTRUCTIONS ":precise=",
                                       INSTRUCTIONS ":precise=22",
                                       INSTRUCTIONS ":precise=-1",
                                       INSTRUCTIONS "ppx",
                                       FAULTS ":pp",
                                       FAULTS ":precise=1",
                                       "nosuch/event=1/pp"};
    int code;
    (void)unused;
    machine(3, "3\n", "icelake\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        takes(rows[i].name, rows[i].level);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CODE(PAPI_event_name_to_code(none[i], &code), PAPI_ENOEVNT);
    int es = test_set(BRANCHES "ppp", NULL);
    REFUSES(overflow(es, BRANCHES "ppp"), PAPI_ENOSUPP, "precise_ip 3 of this event");
    test_drop(es);
    machine_ends();
}

static void by_option(void *unused)
{
    PAPI_option_t option = {0};
    (void)unused;
    machine(3, "3\n", "icelake\n");
    int es = test_set(BRANCHES, NULL);
    option.precise.eventset = es;
    OK(PAPI_get_opt(PAPI_PRECISE, &option));
    EQUAL(option.precise.level, PAPI_PRECISE_MOST);
    EQUAL(option.precise.in_use, -1);
    OK(overflow(es, BRANCHES));
    for (int level = 0; level <= 2; level++) {
        OK(set_precise(es, level));
        EQUAL(in_use(es), level);
        OK(PAPI_get_opt(PAPI_PRECISE, &option));
        EQUAL(option.precise.level, level);
        counts_and_overflows(es, 1);
    }
    REFUSES(set_precise(es, 3), PAPI_ENOSUPP, "precise_ip 3");
    EQUAL(in_use(es), 2);
    counts_and_overflows(es, 1);
    REFUSES(set_precise(es, 4), PAPI_EINVAL, "0 to 3");
    REFUSES(set_precise(es, -2), PAPI_EINVAL, "0 to 3");
    OK(set_precise(es, PAPI_PRECISE_MOST));
    EQUAL(in_use(es), 2);
    OK(PAPI_start(es));
    CODE(set_precise(es, 0), PAPI_EISRUN);
    OK(PAPI_stop(es, NULL));
    CODE(set_precise(12345, 0), PAPI_ENOEVST);
    test_drop(es);
    machine_ends();
}

/* Events that fit together are not refused because one of them could be precise: then it is not. */
static void room_comes_first(void *unused)
{
    (void)unused;
    machine(3, "3\n", "icelake\n");
    kernel.alone = true;
    int es = test_set(INSTRUCTIONS, NULL);
    OK(overflow(es, INSTRUCTIONS));
    EQUAL(in_use(es), 3);
    OK(PAPI_add_named_event(es, BRANCHES));
    EQUAL(in_use(es), 0);
    counts_and_overflows(es, 2);
    test_drop(es);
    es = test_set(INSTRUCTIONS, BRANCHES, NULL);
    OK(overflow(es, INSTRUCTIONS));
    EQUAL(in_use(es), 0);
    counts_and_overflows(es, 2);
    OK(PAPI_remove_named_event(es, BRANCHES));
    EQUAL(in_use(es), 3);
    counts_and_overflows(es, 1);
    REFUSES(PAPI_add_named_event(es, "cpu/event=0x1/:precise=9"), PAPI_ENOEVNT, "0 to 3");
    OK(set_precise(es, 3)); /* but for one that was asked for */
    CODE(PAPI_add_named_event(es, BRANCHES), PAPI_ECNFLCT);
    EQUAL(in_use(es), 3);
    counts_and_overflows(es, 1);
    test_drop(es);
    machine_ends();
}

static const char *description(const char *event)
{
    static PAPI_event_info_t info;
    OK(PAPI_get_event_info(test_code_of(event), &info));
    return info.long_descr;
}

static void told_in_the_info(void *unused)
{
    (void)unused;
    machine(3, "3\n", "skylake\n");
    CHECK(strstr(description(INSTRUCTIONS), "(precise_ip 3)") != NULL);
    CHECK(strstr(description(BRANCHES), "the instruction that causes it (precise_ip 2)") != NULL);
    CHECK(strstr(description(IMPRECISE), "where the interrupt comes (precise_ip 0)") != NULL);
    CHECK(strstr(description(CYCLES), "(precise_ip 0)") != NULL);
    CHECK(strstr(description(CYCLES "p"), "(precise_ip 1)") != NULL);
    CHECK(strstr(description(FAULTS), "precise") == NULL);
    machine_ends();
}

static void not_told_where_there_is_none(void *unused)
{
    (void)unused;
    machine(0, "0\n", NULL);
    CHECK(strstr(description(INSTRUCTIONS), "precise") == NULL);
    machine_ends();
}

/* Checks that what is kept of the processor and who follows the threads of processes are two things, in
 * either order. */
static void beside_followed_threads(void *precise_first)
{
    machine(3, "3\n", "icelake\n");
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    if (precise_first != NULL)
        takes(BRANCHES, 2);
    for (int i = 0; i < 2; i++) {
        int es = test_set(FAULTS, NULL);
        OK(PAPI_attach_process(es, pid, PAPI_PROCESS_THREADS));
        takes(INSTRUCTIONS, 3);
        takes(BRANCHES, 2);
        takes(CYCLES, 3);
        CHECK(strstr(description(BRANCHES), "(precise_ip 2)") != NULL);
        test_drop(es);
    }
    kill(pid, SIGKILL);
    EQUAL(waitpid(pid, NULL, 0), pid);
    machine_ends();
}

/* ---- processes */

static void run(void (*body)(void *), void *argument)
{
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_in_child(body, argument);
}

#define TEST(name, body, argument)                                                                           \
    static void name(void **state)                                                                           \
    {                                                                                                        \
        (void)state;                                                                                         \
        run(body, argument);                                                                                 \
    }
TEST(test_most, most_precise, NULL)
TEST(test_skylake, cycles_of_skylake, NULL)
TEST(test_icelake, cycles_of_icelake, NULL)
TEST(test_amd, none_by_default, (void *)"0\n")
TEST(test_old_kernel, none_by_default, NULL)
TEST(test_nonsense, none_by_default, (void *)"-7\n")
TEST(test_by_name, by_name, NULL)
TEST(test_by_option, by_option, NULL)
TEST(test_room, room_comes_first, NULL)
TEST(test_info, told_in_the_info, NULL)
TEST(test_followed, beside_followed_threads, NULL)
TEST(test_followed_later, beside_followed_threads, (void *)"precise first")
TEST(test_no_info, not_told_where_there_is_none, NULL)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_most),           cmocka_unit_test(test_skylake),
        cmocka_unit_test(test_icelake),        cmocka_unit_test(test_amd),
        cmocka_unit_test(test_old_kernel),     cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_by_name),        cmocka_unit_test(test_by_option),
        cmocka_unit_test(test_room),           cmocka_unit_test(test_info),
        cmocka_unit_test(test_no_info),        cmocka_unit_test(test_followed),
        cmocka_unit_test(test_followed_later),
    };
    return TEST_RUN(tests);
}
