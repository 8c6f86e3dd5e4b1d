/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs that regions_test.py runs, and whose files it reads: one way to call the regions for each
 * argument.
 */
#include "counting_handler.h"
#include "testing.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, OPERATIONS = 1000 };

/* Executes n floating-point operations, one an iteration, and no others. */
static void operate(int n)
{
    static volatile double one = 1.0;
    volatile double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum = sum + one;
    one = sum > 0.0 ? 1.0 : one;
}

static void *operate_in_thread(void *argument)
{
    int n = *(int *)argument;
    OK(PAPI_hl_region_begin("outer"));
    operate(n);
    OK(PAPI_hl_region_begin("inner"));
    operate(2 * n);
    OK(PAPI_hl_region_end("inner"));
    operate(3 * n);
    OK(PAPI_hl_region_end("outer"));
    return NULL;
}

/* Each thread has its own number of operations. */
static void operations(void)
{
    pthread_t thread[THREADS];
    int n[THREADS];
    for (int i = 0; i < THREADS; i++) {
        n[i] = (i + 1) * OPERATIONS;
        if (i > 0) {
            EQUAL(pthread_create(&thread[i], NULL, operate_in_thread, &n[i]), 0);
            pthread_join(thread[i], NULL); /* one after the other: known numbers in the file */
        } else {
            operate_in_thread(&n[i]);
        }
    }
}

static void nested(void)
{
    OK(PAPI_hl_region_begin("outer"));
    test_touch_pages(100);
    for (int i = 0; i < 3; i++) {
        OK(PAPI_hl_region_begin("inner"));
        test_touch_pages(200 * (i + 1));
        OK(PAPI_hl_region_end("inner"));
    }
    OK(PAPI_hl_region_end("outer"));
    OK(PAPI_hl_region_begin("outer"));
    OK(PAPI_hl_region_begin("outer")); /* inside of itself */
    test_touch_pages(50);
    OK(PAPI_hl_region_end("outer"));
    OK(PAPI_hl_region_end("outer"));
}

static void reads(void)
{
    OK(PAPI_hl_region_begin("read"));
    test_touch_pages(100);
    OK(PAPI_hl_read("read"));
    test_touch_pages(100);
    OK(PAPI_hl_read("read"));
    test_touch_pages(100);
    OK(PAPI_hl_region_end("read"));
    OK(PAPI_hl_region_begin("not read"));
    OK(PAPI_hl_region_end("not read"));
}

static void wrong(void)
{
    CODE(PAPI_hl_stop(), PAPI_ENOTRUN);
    CODE(PAPI_hl_read("early"), PAPI_EINVAL);
    CODE(PAPI_hl_region_end("early"), PAPI_EINVAL);
    CODE(PAPI_hl_region_begin(NULL), PAPI_EINVAL);
    CODE(PAPI_hl_region_begin(""), PAPI_EINVAL);
    CODE(PAPI_hl_stop(), PAPI_ENOTRUN);
    OK(PAPI_hl_region_begin("a"));
    OK(PAPI_hl_region_begin("b"));
    CODE(PAPI_hl_region_end("a"), PAPI_EINVAL);
    CHECK(strstr(PAPI_strerror(PAPI_EINVAL), "\"b\"") != NULL);
    CODE(PAPI_hl_read("a"), PAPI_EINVAL);
    CODE(PAPI_hl_stop(), PAPI_EISRUN);
    test_touch_pages(100);
    OK(PAPI_hl_region_end("b")); /* nothing was lost */
    test_touch_pages(100);
    CODE(PAPI_hl_region_end("b"), PAPI_EINVAL);
    OK(PAPI_hl_region_end("a"));
    OK(PAPI_hl_region_begin("open"));
    test_touch_pages(100);
    OK(PAPI_hl_region_begin("inside"));
    test_touch_pages(100);
}

static void *leave_open(void *argument)
{
    OK(PAPI_hl_region_begin("left open"));
    test_touch_pages(100);
    OK(PAPI_hl_read("left open"));
    return argument;
}

static void ended_threads(void)
{
    pthread_t thread;
    EQUAL(pthread_create(&thread, NULL, leave_open, NULL), 0);
    pthread_join(thread, NULL);
    OK(PAPI_hl_region_begin("main"));
    OK(PAPI_hl_region_end("main"));
}

static void names(void)
{
    static char huge[100000];
    memset(huge, 'n', sizeof huge - 1);
    OK(PAPI_hl_region_begin(huge));
    OK(PAPI_hl_region_end(huge));
    OK(PAPI_hl_region_begin("\"quoted\" \\ \n\t\001\177"));
    OK(PAPI_hl_region_end("\"quoted\" \\ \n\t\001\177"));
    OK(PAPI_hl_region_begin("gr\303\266\303\237e"));
    OK(PAPI_hl_region_end("gr\303\266\303\237e"));
    OK(PAPI_hl_region_begin("no \377 UTF-8"));
    OK(PAPI_hl_region_end("no \377 UTF-8"));
}

static void one(void)
{
    OK(PAPI_hl_region_begin("one"));
    OK(PAPI_hl_region_end("one"));
}

static void forks(void)
{
    int status;
    pid_t child;
    OK(PAPI_hl_region_begin("parent"));
    child = fork();
    if (child == 0) {
        CODE(PAPI_hl_region_end("parent"), PAPI_EINVAL);
        OK(PAPI_hl_region_begin("child"));
        test_touch_pages(100);
        OK(PAPI_hl_region_end("child"));
        exit(0);
    }
    EQUAL(waitpid(child, &status, 0), child);
    EQUAL(status, 0);
    child = fork(); /* this one has no regions, and no file */
    if (child == 0)
        exit(0);
    EQUAL(waitpid(child, &status, 0), child);
    test_touch_pages(10);
    OK(PAPI_hl_region_end("parent"));
}

static void shutdowns(void)
{
    OK(PAPI_hl_region_begin("before"));
    test_touch_pages(100);
    OK(PAPI_hl_region_end("before"));
    OK(PAPI_hl_region_begin("across"));
    PAPI_shutdown();
    OK(PAPI_hl_region_begin("within"));
    test_touch_pages(100);
    OK(PAPI_hl_region_end("within"));
    OK(PAPI_hl_region_end("across"));
    PAPI_shutdown();
    OK(PAPI_hl_region_begin("after"));
    test_touch_pages(100);
    OK(PAPI_hl_region_end("after"));
    PAPI_shutdown();
}

static void stops(void)
{
    long long value = -1;
    int code, before;
    one();
    before = test_open_descriptors();
    OK(PAPI_hl_stop());
    CHECK(test_open_descriptors() < before);
    OK(PAPI_hl_stop());
    code = test_code_of(FAULTS);
    OK(PAPI_start_counters(&code, 1));
    test_touch_pages(100);
    OK(PAPI_stop_counters(&value, 1));
    COUNTED(value, 100);
    OK(PAPI_hl_region_begin("two"));
    test_touch_pages(100);
    OK(PAPI_hl_region_end("two"));
}

static void abrupt(void)
{
    one();
    OK(PAPI_hl_stop());
    one();
    _exit(0);
}

static void unwritable(void)
{
    one();
    CODE(PAPI_hl_stop(), PAPI_ESYS);
    CHECK(errno != 0);
    CHECK(strstr(PAPI_strerror(PAPI_ESYS), "PAPI_OUTPUT_DIRECTORY") != NULL);
}

/* No other folder would help. */
static void descriptors(void)
{
    one();
    EQUAL(setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3}), 0);
    CODE(PAPI_hl_stop(), PAPI_ESYS);
    EQUAL(errno, EMFILE);
    CHECK(strstr(PAPI_strerror(PAPI_ESYS), "ulimit -n") != NULL);
}

/* Takes the descriptors away from now on; what is read of files is known, so that counters alone are lacking.
 * Returns the usual limit. */
static struct rlimit lack_descriptors(void)
{
    struct rlimit limit, none;
    PAPI_shutdown();
    EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){3, limit.rlim_max};
    test_init();
    OK(PAPI_query_event(PAPI_TOT_INS));
    OK(PAPI_query_event(PAPI_TOT_CYC));
    EQUAL(setrlimit(RLIMIT_NOFILE, &none), 0);
    return limit;
}

/* The first region lacks a descriptor for its counters; the next one has it. */
static void lacking(void)
{
    NEED_SOFTWARE_EVENTS();
    struct rlimit limit = lack_descriptors();
    CODE(PAPI_hl_region_begin("first"), PAPI_ESYS);
    CHECK(strstr(PAPI_strerror(PAPI_ESYS), "PAPI_TOT_INS cannot be counted now") != NULL);
    CHECK(strstr(PAPI_strerror(PAPI_ESYS), "ulimit -n") != NULL);
    EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
    OK(PAPI_hl_region_begin("second"));
    test_touch_pages(100);
    OK(PAPI_hl_region_end("second"));
}

/* Lacking twice: the regions are recorded, and say what was not counted. */
static void lacking_again(void)
{
    NEED_SOFTWARE_EVENTS();
    struct rlimit limit = lack_descriptors();
    CODE(PAPI_hl_region_begin("first"), PAPI_ESYS);
    OK(PAPI_hl_region_begin("second"));
    OK(PAPI_hl_region_end("second"));
    EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void elsewhere(void)
{
    one();
    EQUAL(chdir("/"), 0);
}

static void many(void)
{
    for (int i = 0; i < (1 << 20) + 1000; i++) {
        OK(PAPI_hl_region_begin("turn"));
        if (i > 1 << 20)
            OK(PAPI_hl_region_begin("late"));
        if (i > 1 << 20)
            OK(PAPI_hl_region_end("late"));
        OK(PAPI_hl_region_end("turn"));
    }
}

static void *turn(void *argument)
{
    for (int i = 0; i < 1000; i++)
        one();
    return argument;
}

static void together(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        EQUAL(pthread_create(&thread[i], NULL, turn, NULL), 0);
    turn(NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

static atomic_int begun;

static void *never_end(void *argument)
{
    one();
    begun++;
    for (;;) {
        one();
        usleep(2000);
    }
    return argument;
}

/* The file is written while other threads continue. */
static void running(void)
{
    pthread_t thread;
    for (int i = 0; i < THREADS; i++)
        EQUAL(pthread_create(&thread, NULL, never_end, NULL), 0);
    while (begun < THREADS) /* where others want the processors, they begin late */
        usleep(1000);
    for (int i = 0; i < 20; i++) {
        OK(PAPI_hl_region_begin("of the first thread"));
        OK(PAPI_hl_region_end("of the first thread"));
        OK(PAPI_hl_stop());
    }
}

static int told; /* how often the program's handler of errors was called */

static int count_errors(int code)
{
    (void)code;
    told++;
    return PAPI_OK;
}

/* Events that do not count are no errors of the calls, also in a second thread; wrong calls are. */
static void quiet(void)
{
    PAPI_option_t option = {.debug = {.level = PAPI_VERB_ECONT, .handler = count_errors}};
    pthread_t thread;
    EQUAL(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    OK(PAPI_set_opt(PAPI_DEBUG, &option));
    one();
    EQUAL(pthread_create(&thread, NULL, turn, NULL), 0);
    pthread_join(thread, NULL);
    EQUAL(told, 0);
    CODE(PAPI_hl_region_end("never begun"), PAPI_EINVAL);
    EQUAL(told, 1);
    OK(PAPI_hl_stop());
    EQUAL(told, 1);
}

/* Uses regions that handlers interrupt: two pages an entry, and the most that there can be in all of them. */
static void interrupted(void)
{
    counting_handler_begin();
    long long from = counting_handler_faults();
    for (int i = 0; i < 1000; i++) {
        OK(PAPI_hl_region_begin("interrupted"));
        test_touch_pages(1);
        OK(PAPI_hl_read("interrupted"));
        test_touch_pages(1);
        OK(PAPI_hl_region_end("interrupted"));
    }
    OK(PAPI_hl_stop());
    printf("%lld faults\n", counting_handler_faults() - from);
    counting_handler_end();
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"quiet", quiet},
    {"operations", operations},
    {"nested", nested},
    {"reads", reads},
    {"interrupted", interrupted},
    {"wrong", wrong},
    {"ended", ended_threads},
    {"names", names},
    {"one", one},
    {"forks", forks},
    {"shutdowns", shutdowns},
    {"stops", stops},
    {"abrupt", abrupt},
    {"unwritable", unwritable},
    {"elsewhere", elsewhere},
    {"many", many},
    {"together", together},
    {"running", running},
    {"descriptors", descriptors},
    {"lacking", lacking},
    {"lacking_again", lacking_again},
};

static const char *wanted;

static void run_case(void **state)
{
    int found = 0;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, wanted) == 0) {
            cases[i].run();
            found++;
        }
    EQUAL(found, 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(run_case)};
    wanted = argc == 2 ? argv[1] : "";
    return TEST_RUN(tests);
}
