/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signal handlers that count: a timer of 100 us interrupts a program that allocates, loads libraries and
 * counts itself, and its handler reads, accumulates, resets, stops and starts, on event sets of its own and
 * on the one that the program is using. Every value lies within what the program is known to have done.
 */
#include "folder.h"

#include <dlfcn.h>
#include <sde_lib.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

enum { MOST = 6, RECORDED = 1000, RUN_MS = 250 };

/* ---- what the program does, and is known to have done */

static volatile long long steps;
static double halves;
static void *sizes, *kinds, *added;

static long long no_work(int event)
{
    (void)event;
    return 0;
}

static long long steps_done(int event)
{
    (void)event;
    return steps;
}

static long long faults(int event)
{
    struct rusage usage;
    (void)event;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

/* A clock of processor time, whose kernel's fellow need not agree with that for threads. */
static long long time_gone(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static volatile int signals, refusals;

/* A fault that a signal interrupts begins twice, and is one for getrusage. */
static long long perf_truth(int event)
{
    return event == 0 ? faults(0) + signals : time_gone();
}

/* ---- the event sets */

struct subject {
    const char *name;
    const char *event[MOST + 1];
    long long (*truth)(int event); /* how much there was so far of a counter's event; it only grows */
    bool exact;                    /* the truth is the count */
    bool here;                     /* not in the folder */
};

static const struct subject files = {"files",
                                     {"net:::eth0:rx:bytes", "net:::eth0:tx:bytes", "net:::eth0:rx:packets",
                                      "net:::eth0:tx:packets", "net:::lo:rx:bytes"},
                                     no_work,
                                     true,
                                     false};
static const struct subject variables = {
    "sde", {"sde:::handlers::steps", "sde:::handlers::added"}, steps_done, true, true};
static const struct subject kernel = {
    "perf", {"perf::PAGE-FAULTS", "perf::TASK-CLOCK"}, perf_truth, false, true};

/* ---- faults, which a handler can only note */

static volatile int failed_at;
static volatile long long failed_value, failed_bound;

static void wrong(int line, long long value, long long bound)
{
    if (failed_at == 0) {
        failed_value = value;
        failed_bound = bound;
        failed_at = line;
    }
}

#define HOLDS(condition, value, bound)                                                                       \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            wrong(__LINE__, (value), (bound));                                                               \
    } while (0)
#define IS(call, wanted)                                                                                     \
    do {                                                                                                     \
        int code_ = (call);                                                                                  \
        HOLDS(code_ == (wanted), code_, (wanted));                                                           \
    } while (0)

/* ---- reading */

static const struct subject *subject;
static int n_events;
static int used, own; /* event sets: the program's, and the handler's */
static long long began[MOST];
static long long by_program[MOST], by_handler[MOST]; /* accumulated */
static long long before[MOST];                       /* what was read last */

static long long done(int i)
{
    return subject->truth(i) - began[i];
}

static void check_values(const long long *value, int line)
{
    for (int i = 0; i < n_events; i++)
        if (value[i] < 0 || value[i] > done(i))
            wrong(line, value[i], done(i));
}

static void read_used(void)
{
    long long value[MOST];
    IS(PAPI_read(used, value), PAPI_OK);
    check_values(value, __LINE__);
}

static void use_own(void)
{
    long long value[MOST];
    IS(PAPI_start(own), PAPI_OK);
    IS(PAPI_read(own, value), PAPI_OK);
    check_values(value, __LINE__);
    IS(PAPI_reset(own), PAPI_OK);
    IS(PAPI_stop(own, value), PAPI_OK);
    check_values(value, __LINE__);
}

/* What a handler is refused because it interrupted a change of the set. */
static int may_be_refused(int code)
{
    HOLDS(code == PAPI_OK || code == PAPI_ECNFLCT, code, PAPI_ECNFLCT);
    refusals += code == PAPI_ECNFLCT;
    return code;
}

static void accumulate(void)
{
    may_be_refused(PAPI_accum(used, by_handler));
}

static void reset_used(void)
{
    long long value[MOST];
    if (may_be_refused(PAPI_reset(used)) == PAPI_OK) {
        IS(PAPI_read(used, value), PAPI_OK);
        check_values(value, __LINE__);
    }
    may_be_refused(PAPI_reset(used));
}

/* It is not running while the program starts it, or after it has stopped it. */
static void stop_and_start(void)
{
    long long value[MOST];
    int code = PAPI_stop(used, value);
    HOLDS(code == PAPI_OK || code == PAPI_ENOTRUN, code, PAPI_OK);
    if (code == PAPI_OK)
        check_values(value, __LINE__);
    code = PAPI_start(used);
    HOLDS(code == PAPI_OK || code == PAPI_EISRUN || code == PAPI_ECNFLCT, code, PAPI_OK);
    read_used();
}

static void (*volatile in_handler)(void);

static void handle(int number)
{
    (void)number;
    signals++;
    if (in_handler != NULL)
        in_handler();
}

static void every(int usec)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    const struct itimerval interval = {{0, usec}, {0, usec}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &interval, NULL);
}

/* ---- the program */

static void step(void)
{
    void *memory[4], *library;
    for (int i = 0; i < 4; i++)
        memory[i] = malloc((size_t)(steps * 37 + i * 1001) % 5000 + 1);
    steps++;
    papi_sde_inc_counter(added, 1);
    int size = (int)(steps % RECORDED) + 1;
    if (size == 1)
        papi_sde_reset_recorder(sizes);
    papi_sde_record(sizes, sizeof size, &size);
    papi_sde_counting_set_insert(kinds, sizeof size, sizeof size, &size, 1);
    papi_sde_counting_set_remove(kinds, sizeof size, &size, 1);
    halves += 0.5;
    for (int i = 0; i < 4; i++)
        free(memory[i]);
    if (steps % 50 == 0 && (library = dlopen("libm.so.6", RTLD_NOW)) != NULL)
        dlclose(library);
}

static void register_events(void)
{
    papi_handle_t library = papi_sde_init("handlers");
    papi_sde_register_counter(library, "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long,
                              (void *)(uintptr_t)&steps);
    papi_sde_register_counter(library, "halves", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_double, &halves);
    papi_sde_create_counter(library, "added", PAPI_SDE_DELTA, &added);
    papi_sde_create_recorder(library, "sizes", sizeof(int), papi_sde_compare_int, &sizes);
    papi_sde_create_counting_set(library, "kinds", &kinds);
    papi_sde_add_counter_to_group(library, "steps", "both", PAPI_SDE_SUM);
    papi_sde_add_counter_to_group(library, "added", "both", PAPI_SDE_SUM);
}

static int make_set(void)
{
    int es = PAPI_NULL;
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    for (n_events = 0; subject->event[n_events] != NULL; n_events++) {
        int code = PAPI_add_named_event(es, subject->event[n_events]);
        if (code != PAPI_OK)
            fail_msg("%s: %s", subject->event[n_events], PAPI_strerror(code));
    }
    return es;
}

static void start_all(const struct subject *of)
{
    subject = of;
    shows("sys/class/net/eth0/statistics/rx_bytes", "1000000000001\n");
    shows("sys/class/net/eth0/statistics/tx_bytes", "3\n");
    shows("sys/class/net/eth0/statistics/rx_packets", "7700\n");
    shows("sys/class/net/eth0/statistics/tx_packets", "123456\n");
    shows("sys/class/net/lo/statistics/rx_bytes", "18446744073709551000\n");
    if (of->here)
        begin_here();
    else
        begin_in_folder();
    register_events();
    used = make_set();
    own = make_set();
    for (int i = 0; i < MOST; i++)
        by_program[i] = by_handler[i] = before[i] = 0;
    failed_at = signals = refusals = 0;
    for (int i = 0; i < n_events; i++)
        began[i] = subject->truth(i);
    assert_int_equal(PAPI_start(used), PAPI_OK);
}

/* What the program does on and on, interrupted by a handler that does this. */
static void run(void (*program)(void), void (*handler)(void))
{
    long long end = PAPI_get_real_usec() + RUN_MS * 1000;
    in_handler = handler;
    every(100);
    while (failed_at == 0 && PAPI_get_real_usec() < end) {
        step();
        program();
    }
    every(0);
    if (failed_at != 0)
        fail_msg("%s, line %d: %lld where %lld was expected or possible", subject->name, failed_at,
                 failed_value, failed_bound);
    assert_true(signals > 0);
}

/* ---- the tests */

static void program_reads(void)
{
    read_used();
}

/* Values only grow as long as nobody changes the set. */
static void program_reads_more(void)
{
    long long value[MOST];
    IS(PAPI_read(used, value), PAPI_OK);
    check_values(value, __LINE__);
    for (int i = 0; i < n_events; i++) {
        HOLDS(value[i] >= before[i], value[i], before[i]);
        before[i] = value[i];
    }
}

static void program_accumulates(void)
{
    IS(PAPI_accum(used, by_program), PAPI_OK);
}

static void program_resets(void)
{
    IS(PAPI_reset(used), PAPI_OK);
    read_used();
}

static void program_switches(void)
{
    long long value[MOST];
    int code = PAPI_stop(used, value);
    HOLDS(code == PAPI_OK || code == PAPI_ENOTRUN, code, PAPI_OK);
    if (code == PAPI_OK)
        check_values(value, __LINE__);
    read_used();
    code = PAPI_start(used);
    HOLDS(code == PAPI_OK || code == PAPI_EISRUN, code, PAPI_OK);
    PAPI_accum(used, by_program);
    read_used();
}

static void all_of(const struct subject *of)
{
    long long value[MOST];
    start_all(of);
    run(program_reads_more, read_used);
    run(program_reads_more, use_own);
    run(program_reads, reset_used);
    run(program_resets, reset_used);
    run(program_switches, read_used);
    run(program_switches, use_own);
    run(program_switches, stop_and_start);
    run(program_resets, stop_and_start);
    run(program_accumulates, stop_and_start);
    PAPI_start(used);
    assert_int_equal(PAPI_stop(used, value), PAPI_OK);
}

/* No count is in both sums, or in none. */
static void sums_of(const struct subject *of)
{
    long long value[MOST];
    start_all(of);
    run(program_accumulates, accumulate);
    assert_int_equal(PAPI_stop(used, value), PAPI_OK);
    for (int i = 0; i < n_events; i++) {
        long long sum = by_program[i] + by_handler[i] + value[i];
        if (sum < 0 || sum > done(i) || (of->exact && sum != done(i)))
            fail_msg("%s: %lld of %lld in all", of->event[i], sum, done(i));
    }
}

static void of_files(void **state)
{
    (void)state;
    all_of(&files);
}

static void sums_of_files(void **state)
{
    (void)state;
    sums_of(&files);
}

static void of_variables(void **state)
{
    (void)state;
    all_of(&variables);
}

static void sums_of_variables(void **state)
{
    (void)state;
    sums_of(&variables);
}

static void need_software_events(void)
{
    begin_here();
    int code = PAPI_query_named_event("perf::PAGE-FAULTS");
    if (code != PAPI_OK) {
        printf("SKIP: perf::PAGE-FAULTS: %s\n", PAPI_strerror(code));
        skip();
    }
    PAPI_shutdown();
}

static void of_the_kernel(void **state)
{
    (void)state;
    need_software_events();
    all_of(&kernel);
}

static void sums_of_the_kernel(void **state)
{
    (void)state;
    need_software_events();
    sums_of(&kernel);
}

/* ---- what libsde computes in a reading */

static const struct subject computed = {"computed",
                                        {"sde:::handlers::sizes:MED", "sde:::handlers::sizes:CNT",
                                         "sde:::handlers::kinds", "sde:::handlers::both",
                                         "sde:::handlers::sizes:MAX"},
                                        no_work,
                                        false,
                                        true};

static void check_recorded(long long address)
{
    const int *size = GET_SDE_RECORDER_ADDRESS(address, const int);
    HOLDS(size == NULL || (*size >= 1 && *size <= RECORDED), size == NULL ? 0 : *size, RECORDED);
}

static void read_computed(void)
{
    long long value[MOST];
    IS(PAPI_read(used, value), PAPI_OK);
    check_recorded(value[0]);
    check_recorded(value[4]);
    HOLDS(value[1] >= 0 && value[1] <= RECORDED, value[1], RECORDED);
    HOLDS(value[3] >= 0 && value[3] <= 2 * steps, value[3], 2 * steps);
    for (const cset_list_object_t *kind = (const cset_list_object_t *)(uintptr_t)value[2]; kind != NULL;
         kind = kind->next)
        HOLDS(kind->count == 1 && *(const int *)kind->ptr <= RECORDED, kind->count, 1);
}

static void of_what_is_computed(void **state)
{
    (void)state;
    start_all(&computed);
    run(read_computed, read_computed);
    run(program_accumulates, read_computed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(of_files),
        IN_FOLDER(sums_of_files),
        IN_FOLDER(of_variables),
        IN_FOLDER(sums_of_variables),
        IN_FOLDER(of_the_kernel),
        IN_FOLDER(sums_of_the_kernel),
        IN_FOLDER(of_what_is_computed),
    };
    return TEST_RUN(tests);
}
