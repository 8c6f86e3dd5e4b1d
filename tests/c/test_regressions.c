/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults that the library once had: limits, failures in the midst of a change, threads and handlers
 * at the wrong moment.
 */
#include "testing.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* PAPI_L1_DCM has one counter, the others have two. */
static const char presets[] = "CPU,perf\n"
                              "PRESET,PAPI_L1_DCM,NOT_DERIVED," FAULTS "\n"
                              "PRESET,PAPI_L1_ICM,DERIVED_ADD," FAULTS "," MINOR "\n"
                              "PRESET,PAPI_L2_ICM,DERIVED_ADD,PAGE-FAULTS,MINOR-FAULTS\n";

static int empty_set(void)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    return es;
}

/* ---- a set's 64 counters */

enum { COUNTERS = 64 };

/* Page faults under names of their own: each is a counter more. */
static int add_counters(int es, int first, int n)
{
    int error = PAPI_OK;
    for (int i = first; i < first + n && error == PAPI_OK; i++) {
        char name[PAPI_MAX_STR_LEN];

        snprintf(name, sizeof name, "software/config=2,config1=%d/", i);
        error = PAPI_add_named_event(es, name);
    }
    return error;
}

/* All counters are one group of the kernel: they count the same faults. */
static void check_equal_counts(int es, int n)
{
    long long values[COUNTERS + 1];
    values[n] = 42;
    OK(PAPI_start(es));
    test_touch_pages(100);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], 100);
    for (int i = 1; i < n; i++)
        EQUAL(values[i], values[0]);
    EQUAL(values[n], 42);
}

static void as_many_counters_as_a_set_holds(void **state)
{
    int es, before;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = empty_set();
    OK(add_counters(es, 0, COUNTERS));
    before = test_open_descriptors();
    CODE(add_counters(es, COUNTERS, 1), PAPI_ECNFLCT);
    CODE(PAPI_add_named_event(es, "PAPI_L1_ICM"), PAPI_ECNFLCT);
    EQUAL(test_open_descriptors(), before);
    EQUAL(PAPI_num_events(es), COUNTERS);
    check_equal_counts(es, COUNTERS);
    test_drop(es);
}

/* A derived event takes more than one counter, of which only the first finds room. */
static void a_derived_event_beyond_the_last_counter(void **state)
{
    int es, before;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = empty_set();
    OK(add_counters(es, 0, COUNTERS - 1));
    before = test_open_descriptors();
    CODE(PAPI_add_named_event(es, "PAPI_L1_ICM"), PAPI_ECNFLCT);
    EQUAL(test_open_descriptors(), before);
    EQUAL(PAPI_num_events(es), COUNTERS - 1);
    check_equal_counts(es, COUNTERS - 1);
    OK(add_counters(es, COUNTERS - 1, 1));
    check_equal_counts(es, COUNTERS);
    test_drop(es);
}

static void a_derived_event_and_all_other_counters(void **state)
{
    long long values[COUNTERS];
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set("PAPI_L1_ICM", NULL);
    CODE(add_counters(es, 0, COUNTERS), PAPI_ECNFLCT);
    EQUAL(PAPI_num_events(es), COUNTERS - 1);
    OK(PAPI_start(es));
    test_touch_pages(100);
    OK(PAPI_stop(es, values));
    COUNTED(values[COUNTERS - 2], 100);
    CHECK(values[0] >= 200);
    test_drop(es);
}

/* ---- no descriptor free: for the moment only */

/* The code of a call made while no descriptor is free. */
static int without_descriptors(int (*call)(int), int argument)
{
    struct rlimit all, few;
    int lowest = dup(STDOUT_FILENO), code;
    close(lowest);
    getrlimit(RLIMIT_NOFILE, &all);
    few = all;
    few.rlim_cur = (rlim_t)lowest;
    setrlimit(RLIMIT_NOFILE, &few);
    code = call(argument);
    setrlimit(RLIMIT_NOFILE, &all);
    return code;
}

static int duplicate(int fd)
{
    int copy = dup(fd);
    if (copy >= 0)
        close(copy);
    return copy;
}

/* A tool that runs the program may keep the limit from the kernel. */
#define NEED_LIMIT()                                                                                         \
    do {                                                                                                     \
        NEED_SOFTWARE_EVENTS();                                                                              \
        if (without_descriptors(duplicate, STDOUT_FILENO) >= 0)                                              \
            SKIP("the limit of descriptors does not hold here");                                             \
    } while (0)

/* ---- definitions, while a file of events is set */

static void check_definition(int code, const char *derived, const char *counted)
{
    PAPI_event_info_t info;
    OK(PAPI_get_event_info(code, &info));
    CHECK(strcmp(info.derived, derived) == 0);
    CHECK(strcmp(info.name[0], counted) == 0);
}

/* The definition that was set, or, where that failed, the file's: not the one that is built in. */
static void set_under_limit(void *limit)
{
    struct rlimit all, few;
    PAPI_event_info_t info = {.event_code = (unsigned)PAPI_L1_DCM,
                              .symbol = "PAPI_L1_DCM",
                              .derived = "DERIVED_POSTFIX",
                              .postfix = "N0|3|*|",
                              .name = {MINOR}};
    int code = 0, result;

    PAPI_shutdown();
    EQUAL(getrlimit(RLIMIT_NOFILE, &all), 0);
    few = all;
    few.rlim_cur = *(const rlim_t *)limit;
    test_init();
    EQUAL(setrlimit(RLIMIT_NOFILE, &few), 0);
    result = PAPI_set_event_info(&info, &code, 1);
    EQUAL(setrlimit(RLIMIT_NOFILE, &all), 0);
    if (result == PAPI_OK)
        check_definition(PAPI_L1_DCM, "DERIVED_POSTFIX", MINOR);
    else
        CHECK(result == PAPI_ESYS || result == PAPI_ENOMEM);
    if (result != PAPI_OK)
        check_definition(PAPI_L1_DCM, "NOT_DERIVED", FAULTS);
    check_definition(PAPI_L1_ICM, "DERIVED_ADD", FAULTS);
    PAPI_shutdown();
}

static void shortage_of_descriptors_loses_no_definition(void **state)
{
    (void)state;
    NEED_LIMIT();
    PAPI_shutdown();
    for (rlim_t limit = 0; limit < 12; limit++)
        test_in_child(set_under_limit, &limit);
}

/* ---- the machine */

static int describe(int unused)
{
    (void)unused;
    return PAPI_get_hardware_info() != NULL ? PAPI_OK : PAPI_ESYS;
}

static void shortage_of_descriptors_describes_no_other_machine(void **state)
{
    const PAPI_hw_info_t *hardware;
    PAPI_hw_info_t first;
    (void)state;
    NEED_LIMIT();
    PAPI_shutdown();
    test_init();
    hardware = PAPI_get_hardware_info();
    CHECK(hardware != NULL);
    first = *hardware;
    PAPI_shutdown();
    test_init();
    EQUAL(without_descriptors(describe, 0), PAPI_ESYS);
    CHECK(strstr(PAPI_strerror(PAPI_ESYS), "machine") != NULL);
    hardware = PAPI_get_hardware_info();
    CHECK(hardware != NULL);
    EQUAL(hardware->totalcpus, first.totalcpus);
    EQUAL(hardware->mem_hierarchy.levels, first.mem_hierarchy.levels);
    EQUAL(hardware->virtualized, first.virtualized);
    CHECK(strcmp(hardware->model_string, first.model_string) == 0);
    CHECK(strcmp(hardware->virtual_vendor_string, first.virtual_vendor_string) == 0);
    PAPI_shutdown();
}

/* ---- the rest without descriptors */

static int add_faults(int es)
{
    return PAPI_add_named_event(es, FAULTS);
}

static int query(int code)
{
    return PAPI_query_event(code);
}

static void shortage_of_descriptors_is_not_remembered(void **state)
{
    int es, code;
    (void)state;
    NEED_LIMIT();
    PAPI_shutdown();
    test_init(); /* no event was tried yet */
    es = empty_set();
    code = test_code_of(FAULTS);
    CODE(without_descriptors(add_faults, es), PAPI_ESYS);
    CODE(without_descriptors(query, code), PAPI_ESYS);
    EQUAL(PAPI_num_events(es), 0);
    OK(PAPI_query_event(code));
    OK(add_faults(es));
    check_equal_counts(es, 1);
    test_drop(es);
}

static int hardware_counters(int component)
{
    return PAPI_num_cmp_hwctrs(component);
}

/* The kernel is asked once what the machine has, and again where it could not answer. */
static void shortage_of_descriptors_disables_nothing(void **state)
{
    int wanted;
    (void)state;
    NEED_LIMIT();
    wanted = PAPI_num_cmp_hwctrs(0);
    PAPI_shutdown();
    test_init();
    without_descriptors(hardware_counters, 0);
    EQUAL(PAPI_num_cmp_hwctrs(0), wanted);
    EQUAL(PAPI_get_component_info(0)->disabled, 0);
    OK(PAPI_query_named_event(FAULTS));
}

/* ---- changes that fail */

static int failing_open; /* which of the next counters cannot be opened, 0: none */

/* Overrides the C library's syscall(), with which the library opens counters. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
    long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    long argument[6];
    va_list args;

    va_start(args, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(args, long);
    va_end(args);
    if (number == SYS_perf_event_open && failing_open > 0 && --failing_open == 0) {
        errno = EMFILE;
        return -1;
    }
    return real(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

/* The derived event is in the middle and has two counters, as has the one that is added. */
static const char *const members[] = {CLOCK, "PAPI_L1_ICM", MAJOR, "software/config=2/"};

enum { MEMBERS = sizeof members / sizeof *members };

static int remove_first(int es)
{
    return PAPI_remove_named_event(es, members[0]);
}

static int remove_derived(int es)
{
    return PAPI_remove_named_event(es, members[1]);
}

static int add_derived(int es)
{
    return PAPI_add_named_event(es, "PAPI_L2_ICM");
}

/* Sets the domain to what it is: the counters are opened again all the same. */
static int set_domain(int es)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.domain.eventset = es;
    option.domain.domain = PAPI_DOM_USER;
    return PAPI_set_opt(PAPI_DOMAIN, &option);
}

static void count_members(int es, long long *values)
{
    OK(PAPI_start(es));
    test_touch_pages(50);
    OK(PAPI_stop(es, values));
    CHECK(values[0] > 0);
    CHECK(values[1] == 2 * values[3] - values[2]); /* all and minor faults */
    COUNTED(values[3], 50);
}

static void check_unchanged(int es, const long long *wanted)
{
    long long values[MEMBERS];
    int codes[MEMBERS], n = MEMBERS;
    OK(PAPI_list_events(es, codes, &n));
    EQUAL(n, MEMBERS);
    OK(PAPI_read(es, values));
    for (int i = 0; i < MEMBERS; i++) {
        EQUAL(codes[i], test_code_of(members[i]));
        EQUAL(values[i], wanted[i]);
    }
    count_members(es, values);
}

/* Changes a set while the n-th counter cannot be opened. Does it fail? */
static bool fails_at(int (*change)(int), int n)
{
    int es = test_set(members[0], members[1], members[2], members[3], NULL);
    int before = test_open_descriptors(), code;
    long long values[MEMBERS];
    count_members(es, values);
    failing_open = n;
    code = change(es);
    failing_open = 0;
    if (code != PAPI_OK) {
        EQUAL(code, PAPI_ESYS);
        EQUAL(test_open_descriptors(), before);
        check_unchanged(es, values);
        OK(change(es));
    }
    test_drop(es);
    return code != PAPI_OK;
}

static int places_to_fail(int (*change)(int))
{
    int n = 0;
    while (fails_at(change, n + 1))
        n++;
    return n;
}

static void failed_changes_leave_the_set_as_it_was(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    OK(PAPI_query_named_event("PAPI_L2_ICM")); /* else the first to be opened is a trial */
    CHECK(places_to_fail(remove_first) >= MEMBERS);
    CHECK(places_to_fail(remove_derived) >= MEMBERS - 1);
    CHECK(places_to_fail(set_domain) >= MEMBERS + 1);
    EQUAL(places_to_fail(add_derived), 2);
}

/* ---- written counts of a shared counter */

static void check_written(int es, long long first, long long second)
{
    long long values[2] = {first, second};
    OK(PAPI_write(es, values));
    OK(PAPI_read(es, values));
    EQUAL(values[0], values[1]); /* one counter */
    COUNTED(values[0], second);
}

/* A preset and a native event show one counter: its value is one of the two, not their sum. */
static void a_shared_counter_is_set_once(void **state)
{
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set("PAPI_L1_DCM", FAULTS, NULL);
    check_written(es, 100, 100);
    check_written(es, 5, -7);
    OK(PAPI_start(es));
    check_written(es, 100, 100);
    check_written(es, 1000, 2000);
    OK(PAPI_stop(es, NULL));
    test_drop(es);
}

/* ---- handles */

static void stale_handles_stay_refused(void **state)
{
    int stale = PAPI_NULL, copy;
    (void)state;
    test_init();
    OK(PAPI_create_eventset(&stale));
    copy = stale;
    OK(PAPI_destroy_eventset(&copy));
    for (int i = 0; i < 40000; i++) {
        int es = PAPI_NULL;

        OK(PAPI_create_eventset(&es));
        CHECK(es != stale);
        CODE(PAPI_num_events(stale), PAPI_ENOEVST);
        OK(PAPI_destroy_eventset(&es));
    }
}

/* ---- names */

static void names_without_an_event(void **state)
{
    static const char *const names[] = {"software/,/",   "software//", "software/ /",
                                        "software/,,/u", "/",          "//"};
    int es, code = 42;

    (void)state;
    test_init();
    es = empty_set();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CODE(PAPI_event_name_to_code(names[i], &code), PAPI_ENOEVNT);
        CODE(PAPI_query_named_event(names[i]), PAPI_ENOEVNT);
        CODE(PAPI_add_named_event(es, names[i]), PAPI_ENOEVNT);
    }
    EQUAL(code, 42);
    test_drop(es);
}

/* ---- what may hang runs in a child process, whose alarm ends it */

enum { HANGS = 60 /* s */ };

static void add_and_clean_up(int es)
{
    OK(PAPI_add_named_event(es, FAULTS));
    OK(PAPI_cleanup_eventset(es));
}

static void *add_for_ever(void *started)
{
    int es = empty_set();
    for (;;) {
        add_and_clean_up(es);
        atomic_store((atomic_bool *)started, true);
        pthread_testcancel();
    }
    return NULL;
}

static void cancel_threads(void *argument)
{
    (void)argument;
    signal(SIGALRM, SIG_DFL);
    alarm(HANGS);
    test_init();
    for (int i = 0; i < 100; i++) {
        atomic_bool started = false;
        pthread_t thread;

        EQUAL(pthread_create(&thread, NULL, add_for_ever, &started), 0);
        while (!atomic_load(&started))
            usleep(10);
        usleep((unsigned)i); /* each time at another place */
        pthread_cancel(thread);
        pthread_join(thread, NULL);
        test_drop(test_set(FAULTS, NULL)); /* the lock is free */
    }
    PAPI_shutdown();
}

/* Opening and closing files are cancellation points: a thread must not end there with the lock. */
static void cancelled_threads_leave_the_lock(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    test_in_child(cancel_threads, NULL);
}

/* ---- signal handlers */

static volatile sig_atomic_t handled, wrong;

/* Sets an alarm for once. The handler sets the next one: where it takes longer than the time between two, the
 * program must still get on. */
static void alarm_in(long usec)
{
    struct itimerval timer = {{0, 0}, {0, usec}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void handle_alarms(void (*handler)(int))
{
    handled = wrong = 0;
    signal(SIGALRM, handler);
    alarm_in(100);
}

static void no_more_alarms(void)
{
    signal(SIGALRM, SIG_IGN); /* the last may still be on its way */
}

static atomic_int *forks; /* so far, shared with who watches */

static void fork_here(int number)
{
    int saved = errno, status = 0;
    pid_t child = fork();
    (void)number;
    if (child == 0)
        _exit(0);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        wrong++;
    handled++;
    atomic_fetch_add(forks, 1);
    alarm_in(100 + handled % 50);
    errno = saved;
}

/* Ends what hangs: what is slow continues. */
static void watch_over(pid_t watched)
{
    int before = -1;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* it does not outlive what it watches */
    while (atomic_load(forks) != before) {
        before = atomic_load(forks);
        sleep(HANGS);
    }
    kill(watched, SIGKILL);
    _exit(0);
}

/* SIGALRM is the timer's: another process watches. */
static void fork_in_handlers(void *argument)
{
    pid_t watched = getpid(), watch;
    int es, code;
    (void)argument;
    test_init();
    forks = mmap(NULL, sizeof *forks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(forks != MAP_FAILED);
    watch = fork();
    if (watch == 0)
        watch_over(watched);
    es = empty_set();
    handle_alarms(fork_here);
    while (handled < (test_under_valgrind() ? 20 : 200))
        add_and_clean_up(es);
    while (handled < (test_under_valgrind() ? 100 : 1000))
        OK(PAPI_event_name_to_code("PAPI_L1_DCM", &code)); /* little more than the lock */
    no_more_alarms();
    kill(watch, SIGKILL);
    waitpid(watch, NULL, 0);
    EQUAL(wrong, 0);
    OK(PAPI_destroy_eventset(&es));
    PAPI_shutdown();
}

/* The handler's thread may have the library's lock, which a fork takes. */
static void forks_in_handlers_do_not_hang(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("a sanitizer's allocator hangs where a handler forks");
#endif
    test_in_child(fork_in_handlers, NULL);
}

static int read_set;
static long long most; /* pages that the loop touched */

/* All counters are one group, so they show the same number at every moment. */
static void read_here(int number)
{
    long long values[COUNTERS];
    int saved = errno;
    (void)number;
    if (PAPI_read(read_set, values) != PAPI_OK)
        wrong++;
    for (int i = 0; i < COUNTERS; i++)
        if (values[i] != values[0] || values[i] < 0 || values[i] > most)
            wrong++;
    handled++;
    alarm_in(100);
    errno = saved;
}

static void every_call_that_zeroes(int es)
{
    long long sum[COUNTERS] = {0};
    test_touch_pages(1);
    OK(PAPI_reset(es));
    test_touch_pages(1);
    OK(PAPI_accum(es, sum));
    test_touch_pages(1);
    OK(PAPI_write(es, (long long[COUNTERS]){0}));
    OK(PAPI_stop(es, sum));
    OK(PAPI_reset(es));
    OK(PAPI_start(es));
}

/* Handlers of overflows and profilers read while the program is in any call. */
static void handlers_read_whole_counts(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    read_set = empty_set();
    OK(add_counters(read_set, 0, COUNTERS));
    OK(PAPI_start(read_set));
    most = 100 + test_slack();
    handle_alarms(read_here);
    while (handled < 3000)
        every_call_that_zeroes(read_set);
    no_more_alarms();
    EQUAL(wrong, 0);
    test_drop(read_set);
}

/* ---- shutting down beside another thread */

static unsigned long number_of_thread(void)
{
    return 1;
}

static void *init_threads(void *started)
{
    atomic_store((atomic_bool *)started, true);
    for (int i = 0; i < 300; i++)
        PAPI_thread_init(number_of_thread);
    return NULL;
}

/* A call that finds the library ready must not make it so when it is shut down meanwhile. */
static void what_is_shut_down_stays_so(void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++) {
        atomic_bool started = false;
        pthread_t thread;

        test_init();
        EQUAL(pthread_create(&thread, NULL, init_threads, &started), 0);
        while (!atomic_load(&started))
            sched_yield();
        for (volatile int wait = 5 * i; wait > 0; wait--)
            ;
        PAPI_shutdown();
        pthread_join(thread, NULL);
        EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
    }
}

/* ---- forks of other threads */

static atomic_bool forking_ends;

/* The child is not forked by the C library: nothing of it runs there but the system calls. It has all that
 * the process has open. */
static void *fork_all_the_time(void *unused)
{
    const struct timespec moment = {0, 2500000};
    (void)unused;
    while (!atomic_load(&forking_ends)) {
        pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child == 0) {
            nanosleep(&moment, NULL);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return NULL;
}

static pid_t child_that_waits(void)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (getppid() == parent)
            pause();
        _exit(0);
    }
    return child;
}

/* The descriptors that a fork copies do not disturb the counters of an attached set: not in any form. */
static void forks_do_not_disturb_an_attached_set(int multiplexed, int inherited)
{
    enum { FORKERS = 3 };
    pthread_t forker[FORKERS];
    pid_t child = child_that_waits();
    long long values[3];
    int es = empty_set(), failed = 0, before = test_open_descriptors();
    PAPI_option_t option = {.inherit = {.eventset = es, .inherit = PAPI_INHERIT_ALL}};
    OK(PAPI_assign_eventset_component(es, 0));
    if (multiplexed)
        OK(PAPI_set_multiplex(es));
    if (inherited)
        OK(PAPI_set_opt(PAPI_INHERIT, &option));
    OK(PAPI_attach(es, (unsigned long)child));
    OK(PAPI_add_named_event(es, FAULTS));
    OK(PAPI_add_named_event(es, MINOR));
    OK(PAPI_add_named_event(es, MAJOR));
    atomic_store(&forking_ends, false);
    for (int i = 0; i < FORKERS; i++)
        EQUAL(pthread_create(&forker[i], NULL, fork_all_the_time, NULL), 0);
    long long end = PAPI_get_real_usec() + 500000;
    for (int i = 0; i < 200 || PAPI_get_real_usec() < end; i++) {
        failed += PAPI_start(es) != PAPI_OK;
        failed += PAPI_read(es, values) != PAPI_OK;
        failed += PAPI_stop(es, values) != PAPI_OK;
    }
    atomic_store(&forking_ends, true);
    for (int i = 0; i < FORKERS; i++)
        EQUAL(pthread_join(forker[i], NULL), 0);
    EQUAL(failed, 0);
    test_drop(es);
    EQUAL(test_open_descriptors(), before);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void forks_do_not_disturb_attached_sets(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    forks_do_not_disturb_an_attached_set(0, 0);
    forks_do_not_disturb_an_attached_set(1, 0);
    forks_do_not_disturb_an_attached_set(0, 1);
}

int main(void)
{
    /* First what forks in handlers: the allocator stands it as long as there is one thread. */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forks_in_handlers_do_not_hang),
        cmocka_unit_test(as_many_counters_as_a_set_holds),
        cmocka_unit_test(a_derived_event_beyond_the_last_counter),
        cmocka_unit_test(a_derived_event_and_all_other_counters),
        cmocka_unit_test(shortage_of_descriptors_is_not_remembered),
        cmocka_unit_test(shortage_of_descriptors_disables_nothing),
        cmocka_unit_test(shortage_of_descriptors_loses_no_definition),
        cmocka_unit_test(shortage_of_descriptors_describes_no_other_machine),
        cmocka_unit_test(failed_changes_leave_the_set_as_it_was),
        cmocka_unit_test(a_shared_counter_is_set_once),
        cmocka_unit_test(stale_handles_stay_refused),
        cmocka_unit_test(names_without_an_event),
        cmocka_unit_test(handlers_read_whole_counts),
        cmocka_unit_test(cancelled_threads_leave_the_lock),
        cmocka_unit_test(forks_do_not_disturb_attached_sets),
        cmocka_unit_test(what_is_shut_down_stays_so),
    };

    test_presets(presets, sizeof presets - 1);
    return TEST_RUN(tests);
}
