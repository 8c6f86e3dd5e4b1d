/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Overflow and profiling on the kernel's own events: page faults, of which the number and the
 * instruction are known, and CPU time.
 */
#include "testing.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef SIGSTKFLT
enum { SIGNAL = SIGSTKFLT };
#else
enum { SIGNAL = SIGIO };
#endif

/* ---- known work */

/* Touches n pages. It has a section of its own, so that its addresses are known. */
__attribute__((noinline, section("touching"), no_sanitize("address", "undefined"))) static void
touch(volatile char *memory, long n, long page)
{
    for (long i = 0; i < n; i++)
        memory[i * page] = 1;
}
extern const char __start_touching[], __stop_touching[];

static int is_touching(const void *address)
{
    return (const char *)address >= __start_touching && (const char *)address < __stop_touching;
}

static volatile char *fresh_pages(long n)
{
    size_t size = (size_t)n * (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    madvise(memory, size, MADV_NOHUGEPAGE);
    return memory;
}

/* n page faults, most of them in touch(). A hundred at a time: valgrind lets signals through at system
 * calls. */
static void fault(long n)
{
    long page = sysconf(_SC_PAGESIZE);
    for (; n > 0; n -= 100) {
        long part = n < 100 ? n : 100;
        volatile char *memory = fresh_pages(part);
        touch(memory, part, page);
        munmap((void *)memory, (size_t)(part * page));
    }
}

/* The same instructions each time, however long they take. */
static void work(long n)
{
    for (volatile long i = 0; i < n; i++)
        ;
}

/* ---- handler */

static struct {
    volatile int n, touching, without_context;
    int set;
    long long vectors; /* or-ed */
    int of[4];         /* calls for the event of each position */
} calls;

static void note(int es, void *address, long long vector, void *context)
{
    calls.n++;
    calls.set = es;
    calls.touching += is_touching(address);
    calls.without_context += context == NULL;
    calls.vectors |= vector;
    for (int i = 0; i < 4; i++)
        calls.of[i] += vector >> i & 1;
}

static void forget_calls(void)
{
    memset((void *)&calls, 0, sizeof calls);
}

static long long run(int es, long n)
{
    long long values[8];
    forget_calls();
    OK(PAPI_start(es));
    fault(n);
    OK(PAPI_stop(es, values));
    return values[0];
}

/* Runs, and every so many counts there was a call. */
static void check_calls(int es, long n, int threshold)
{
    long long count = run(es, n);
    COUNTED(count, n);
    EQUAL(calls.n, count / threshold);
}

static int own_timers(void)
{
    char line[256];
    int n = 0;
    FILE *file = fopen("/proc/self/timers", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        n += strncmp(line, "ID:", 3) == 0;
    if (file != NULL)
        fclose(file);
    return n;
}

/* ---- counts */

static void every_threshold(void **state)
{
    static const int thresholds[] = {1, 2, 7, 64, 1000, INT_MAX};
    NEED_SOFTWARE_EVENTS();
    int es = test_set(FAULTS, NULL), before = test_open_descriptors();
    (void)state;
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++)
        for (int form = 0; form <= PAPI_OVERFLOW_HARDWARE; form += PAPI_OVERFLOW_HARDWARE) {
            OK(PAPI_overflow(es, test_code_of(FAULTS), thresholds[i], form, note));
            for (int again = 0; again < 2; again++) { /* the second start begins a period of its own */
                long long count = run(es, 1003);
                COUNTED(count, 1003);
                EQUAL(calls.n, count / thresholds[i]);
                if (!test_under_valgrind())
                    CHECK(calls.touching >= 1003 / thresholds[i] - test_slack());
                EQUAL(calls.without_context, 0);
                if (calls.n > 0) {
                    EQUAL(calls.set, es);
                    EQUAL(calls.vectors, 1);
                }
            }
        }
    EQUAL(test_open_descriptors(), before);
    OK(PAPI_overflow(es, test_code_of(FAULTS), 0, 0, NULL));
    run(es, 100);
    EQUAL(calls.n, 0);
    test_drop(es);
}

static void states(void **state)
{
    static unsigned short bucket;
    int es, is = 0;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, MINOR, NULL);
    (void)state;
    OK(PAPI_overflow(es, test_code_of(FAULTS), 10, 0, note));
    OK(PAPI_state(es, &is));
    EQUAL(is, PAPI_STOPPED | PAPI_OVERFLOWING);
    OK(PAPI_profil(&bucket, sizeof bucket, NULL, 2, es, test_code_of(MINOR), 10, PAPI_PROFIL_POSIX));
    OK(PAPI_start(es));
    OK(PAPI_state(es, &is));
    EQUAL(is, PAPI_RUNNING | PAPI_OVERFLOWING | PAPI_PROFILING);
    OK(PAPI_stop(es, NULL));
    OK(PAPI_overflow(es, test_code_of(FAULTS), 0, 0, NULL));
    OK(PAPI_state(es, &is));
    EQUAL(is, PAPI_STOPPED | PAPI_PROFILING);
    OK(PAPI_profil(NULL, 0, NULL, 0, es, test_code_of(MINOR), 0, 0));
    OK(PAPI_state(es, &is));
    EQUAL(is, PAPI_STOPPED);
    test_drop(es);
}

/* The counters are opened again, unnoticed. */
static void values_stay_what_they_were(void **state)
{
    long long before[2], after[2];
    int es;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, MINOR, NULL);
    (void)state;
    OK(PAPI_start(es));
    fault(500);
    OK(PAPI_stop(es, before));
    OK(PAPI_overflow(es, test_code_of(MINOR), 100, 0, note));
    OK(PAPI_read(es, after));
    EQUAL(after[0], before[0]);
    EQUAL(after[1], before[1]);
    OK(PAPI_set_domain(PAPI_DOM_USER));
    OK(PAPI_overflow(es, test_code_of(MINOR), 0, 0, NULL));
    OK(PAPI_read(es, after));
    EQUAL(after[0], before[0]);
    EQUAL(after[1], before[1]);
    test_drop(es);
}

static void two_events(void **state)
{
    int es, found[4] = {-1, -1, -1, -1}, n = 4;
    long long values[3];
    NEED_SOFTWARE_EVENTS();
    es = test_set(CLOCK, FAULTS, MINOR, NULL);
    (void)state;
    OK(PAPI_overflow(es, test_code_of(FAULTS), 100, 0, note));
    OK(PAPI_overflow(es, test_code_of(MINOR), 10, 0, note));
    forget_calls();
    OK(PAPI_start(es));
    fault(1000);
    OK(PAPI_stop(es, values));
    EQUAL(calls.of[0], 0);
    EQUAL(calls.of[1], values[1] / 100);
    EQUAL(calls.of[2], values[2] / 10);
    OK(PAPI_get_overflow_event_index(es, calls.vectors, found, &n));
    EQUAL(n, 2);
    EQUAL(found[0], 1);
    EQUAL(found[1], 2);
    /* Another event leaves: the positions move, the overflows stay with their events. */
    OK(PAPI_remove_event(es, test_code_of(CLOCK)));
    forget_calls();
    OK(PAPI_start(es));
    fault(1000);
    OK(PAPI_stop(es, values));
    EQUAL(calls.of[0], values[0] / 100);
    EQUAL(calls.of[1], values[1] / 10);
    /* An event with an overflow leaves, and the other overflow stays. */
    OK(PAPI_remove_event(es, test_code_of(FAULTS)));
    check_calls(es, 1000, 10);
    EQUAL(calls.vectors, 1);
    /* An event that is added again does not overflow. */
    OK(PAPI_add_named_event(es, FAULTS));
    check_calls(es, 1000, 10);
    EQUAL(calls.vectors, 1);
    OK(PAPI_remove_event(es, test_code_of(MINOR)));
    run(es, 1000);
    EQUAL(calls.n, 0);
    test_drop(es);
}

/* TOT_INS is page faults here: the same counter, and a counter has one period. */
static void one_counter_for_two_events(void *unused)
{
    int es, native;
    (void)unused;
    test_software_presets();
    test_init();
    es = test_set(FAULTS, "PAPI_TOT_INS", NULL);
    native = test_code_of(FAULTS);
    OK(PAPI_overflow(es, PAPI_TOT_INS, 100, 0, note));
    CODE(PAPI_overflow(es, native, 10, 0, note), PAPI_ECNFLCT);
    check_calls(es, 1000, 100);
    EQUAL(calls.vectors, 1 << 1);
    OK(PAPI_overflow(es, PAPI_TOT_INS, 0, 0, NULL));
    OK(PAPI_overflow(es, native, 10, 0, note));
    check_calls(es, 1000, 10);
    EQUAL(calls.vectors, 1);
    test_drop(es);
    PAPI_shutdown();
}

static void one_counter(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_in_child(one_counter_for_two_events, NULL);
}

/* A virtual machine that is not given its processor for a while has no ticks in that time: what needs
 * several of them, or a sleep that is not over before it begins, is tried again before it counts as wrong. */
enum { ATTEMPTS = 12 };

static void switches(void **state)
{
    int es;
    NEED_SOFTWARE_EVENTS();
    (void)state;
    if (PAPI_query_named_event(SWITCHES) != PAPI_OK)
        SKIP("context switches: %s", PAPI_strerror(PAPI_query_named_event(SWITCHES)));
    es = test_set(SWITCHES, NULL);
    OK(PAPI_overflow(es, test_code_of(SWITCHES), 1, 0, note));
    long long count = 0;
    for (int attempt = 0; attempt < ATTEMPTS && count < 200; attempt++) {
        forget_calls();
        OK(PAPI_start(es));
        test_sleep(200);
        OK(PAPI_stop(es, &count));
        EQUAL(calls.n, count);
    }
    CHECK(count >= 200);
    test_drop(es);
}

/* ---- signals */

static void block(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGNAL);
    EQUAL(pthread_sigmask(how, &set, NULL), 0);
}

/* All of them come when the signal is let through: many for one signal. */
static void blocked_for_a_while(void **state)
{
    int es;
    long long count;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    (void)state;
    OK(PAPI_overflow(es, test_code_of(FAULTS), 10, 0, note));
    forget_calls();
    OK(PAPI_start(es));
    block(SIG_BLOCK);
    fault(5000);
    EQUAL(calls.n, 0);
    block(SIG_UNBLOCK);
    CHECK(calls.n >= 500);
    fault(100);
    OK(PAPI_stop(es, &count));
    EQUAL(calls.n, count / 10);
    test_drop(es);
}

static void blocked_to_the_end(void **state)
{
    int es;
    long long count = 0;
    static unsigned buckets[2];
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    (void)state;
    block(SIG_BLOCK);
    OK(PAPI_overflow(es, test_code_of(FAULTS), 10, 0, note));
    forget_calls();
    OK(PAPI_start(es));
    fault(1000);
    CODE(PAPI_stop(es, &count), PAPI_ECLOST);
    CHECK(strstr(PAPI_strerror(PAPI_ECLOST), "blocks signal") != NULL);
    COUNTED(count, 1000); /* the counts are right */
    /* Twice as many overflows as the buffer holds: eight pages, of 16 bytes each. */
    OK(PAPI_overflow(es, test_code_of(FAULTS), 1, 0, note));
    OK(PAPI_start(es));
    fault(sysconf(_SC_PAGESIZE));
    CODE(PAPI_stop(es, &count), PAPI_ECLOST);
    CHECK(strstr(PAPI_strerror(PAPI_ECLOST), "buffer") != NULL);
    EQUAL(calls.n, 0);
    block(SIG_UNBLOCK);
    EQUAL(calls.n, 0);
    COUNTED(run(es, 100), 100); /* and it is as good as new */
    CHECK(calls.n >= 100);
    /* A histogram needs no signal. */
    block(SIG_BLOCK);
    OK(PAPI_profil(buckets, sizeof buckets, NULL, 2, es, test_code_of(FAULTS), 10, PAPI_PROFIL_BUCKET_32));
    count = run(es, 1000);
    EQUAL(buckets[0], count / 10);
    block(SIG_UNBLOCK);
    test_drop(es);
}

static volatile int alarms, users;
static void on_alarm(int number)
{
    (void)number;
    alarms++;
}
static void on_user(int number)
{
    (void)number;
    users++;
}

/* The program's own signals arrive, and its signal handlers stay as they are. */
static void other_signals(void **state)
{
    struct sigaction io, after;
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    int es;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    (void)state;
    EQUAL(sigaction(SIGIO, NULL, &io), 0);
    CHECK(signal(SIGALRM, on_alarm) != SIG_ERR);
    CHECK(signal(SIGUSR1, on_user) != SIG_ERR);
    OK(PAPI_overflow(es, test_code_of(FAULTS), 1, 0, note));
    alarms = users = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 50; i++) {
        long long count = run(es, 200);
        EQUAL(calls.n, count);
        raise(SIGUSR1);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(alarms > 0);
    EQUAL(users, 50);
    EQUAL(sigaction(SIGIO, NULL, &after), 0);
    CHECK(after.sa_handler == io.sa_handler);
    test_drop(es);
}

/* An unprivileged user whose processes may have no signals in the queue. */
static void without_a_queue(void *unused)
{
    const struct rlimit none = {0, 0};
    long long count;
    int es;
    (void)unused;
    EQUAL(setrlimit(RLIMIT_SIGPENDING, &none), 0);
    if (geteuid() == 0)
        EQUAL(setresuid(65534, 65534, 65534), 0);
    if (test_no_software_events() != NULL) {
        test_skipping("%s", test_no_software_events());
        return;
    }
    es = test_set(FAULTS, NULL);
    OK(PAPI_overflow(es, test_code_of(FAULTS), 1, 0, note));
    count = run(es, 1000);
    COUNTED(count, 1000);
    EQUAL(calls.n, count);
    test_drop(es);
    PAPI_shutdown();
}

static void the_queue_may_be_full(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_in_child(without_a_queue, NULL);
}

/* The memory for samples is limited: the library takes less and less, and then says why not. */
static void until_no_memory_is_left(void *unused)
{
    const struct rlimit none = {0, 0};
    static int sets[8192];
    int n = 0, code = PAPI_OK, last;
    long long count;
    (void)unused;
    EQUAL(setrlimit(RLIMIT_MEMLOCK, &none), 0);
    if (geteuid() == 0)
        EQUAL(setresuid(65534, 65534, 65534), 0);
    if (test_no_software_events() != NULL) {
        test_skipping("%s", test_no_software_events());
        return;
    }
    while (n < 8192 && code == PAPI_OK) {
        int es = PAPI_NULL;
        OK(PAPI_create_eventset(&es));
        code = PAPI_add_named_event(es, FAULTS);
        if (code == PAPI_OK)
            code = PAPI_overflow(es, test_code_of(FAULTS), 10, 0, note);
        sets[n++] = es;
    }
    last = sets[n - 1];
    printf("%d sets overflow, then: %s\n", n - 1, PAPI_strerror(code));
    if (code == PAPI_ESYS) {
        test_skipping("descriptors end before the memory for samples does");
    } else {
        EQUAL(code, PAPI_ENOMEM);
        CHECK(strstr(PAPI_strerror(code), "perf_event_mlock_kb") != NULL);
        count = run(last, 100); /* it still counts */
        COUNTED(count, 100);
        EQUAL(calls.n, 0);
    }
    if (n > 1)
        check_calls(sets[0], 100, 10);
    for (int i = 0; i < n; i++)
        test_drop(sets[i]);
    PAPI_shutdown();
}

static void memory_for_samples(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_in_child(until_no_memory_is_left, NULL);
}

/* ---- what a handler may call */

static enum { READ, ACCUM, RESET, STOP } action;
static long long seen, sum;
static int codes, backwards;

static void act(int es, void *address, long long vector, void *context)
{
    long long value = 0;
    note(es, address, vector, context);
    if (action == READ) {
        codes |= PAPI_read(es, &value);
        backwards += value < seen || value < calls.n * 10;
        seen = value;
    } else if (action == ACCUM) {
        codes |= PAPI_accum(es, &sum);
    } else if (action == RESET) {
        codes |= PAPI_read(es, &value) | PAPI_reset(es);
        sum += value;
    } else if (calls.n == 5) {
        codes |= PAPI_stop(es, &seen);
    }
}

static void handlers_use_the_counters(void **state)
{
    int es;
    long long rest;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    (void)state;
    OK(PAPI_overflow(es, test_code_of(FAULTS), 10, 0, act));
    codes = backwards = 0;
    for (action = READ; action <= RESET; action++) {
        seen = sum = 0;
        rest = run(es, 2000);
        EQUAL(codes, 0);
        if (action == READ)
            EQUAL(calls.n, rest / 10);
        else if (action == ACCUM)
            EQUAL(calls.n, (sum + rest) / 10); /* a period does not end where the program zeroes */
        else                                   /* what came between the read and the reset is in no value */
            CHECK(calls.n >= (sum + rest) / 10 && calls.n <= (sum + rest + test_slack()) / 10);
        EQUAL(backwards, 0);
    }
    forget_calls();
    OK(PAPI_start(es));
    fault(2000);
    CODE(PAPI_stop(es, &rest), PAPI_ENOTRUN);
    EQUAL(codes, 0);
    EQUAL(calls.n, 5);
    CHECK(seen >= 50 && seen < (test_under_valgrind() ? 2100 : 60)); /* valgrind lets a signal through late */
    action = READ;
    seen = 0;
    COUNTED(run(es, 1000), 1000);
    EQUAL(backwards, 0);
    test_drop(es);
}

static void slow(int es, void *address, long long vector, void *context)
{
    note(es, address, vector, context);
    test_burn(300000); /* more than a threshold of 100 microseconds */
}

static void faulty(int es, void *address, long long vector, void *context)
{
    note(es, address, vector, context);
    fault(3);
}

/* The handler makes its event overflow again and again; the program gets on all the same, because
 * counting pauses for such a handler. */
static void slow_handlers(void **state)
{
    int es, code;
    long long count;
    NEED_SOFTWARE_EVENTS();
    es = test_set(CLOCK, NULL);
    (void)state;
    CODE(PAPI_overflow(es, test_code_of(CLOCK), 1, 0, slow), PAPI_EINVAL);
    CODE(PAPI_overflow(es, test_code_of(CLOCK), 99999, 0, slow), PAPI_EINVAL);
    OK(PAPI_overflow(es, test_code_of(CLOCK), 100000, 0, slow));
    forget_calls();
    OK(PAPI_start(es));
    work(3000000);
    code = PAPI_stop(es, NULL);
    printf("a slow handler: %d calls, %s\n", calls.n, PAPI_strerror(code));
    CHECK(code == PAPI_OK || code == PAPI_ECLOST); /* ECLOST: the kernel throttled it */
    CHECK(calls.n > 0);
    test_drop(es);

    es = test_set(FAULTS, NULL);
    for (int threshold = 1; threshold < 4; threshold++) {
        OK(PAPI_overflow(es, test_code_of(FAULTS), threshold, 0, faulty));
        count = run(es, 300);
        printf("every %d faults a handler with 3: %d calls, %lld faults\n", threshold, calls.n, count);
        CHECK(count >= 300 && count < 400 + test_slack());
        EQUAL(calls.n, count / threshold);
    }
    test_drop(es);
}

/* The overflow comes at any moment of a start or stop. */
static void overflows_while_stopping(void **state)
{
    int es;
    long long values[2];
    NEED_SOFTWARE_EVENTS();
    es = test_set(CLOCK, FAULTS, NULL);
    (void)state;
    OK(PAPI_overflow(es, test_code_of(CLOCK), 100000, 0, note));
    forget_calls();
    for (int i = 0; i < 3000; i++) {
        int code;
        OK(PAPI_start(es));
        if (i % 100 == 0)
            work(1000000);
        else
            work(i);
        code = PAPI_stop(es, values);
        CHECK(code == PAPI_OK || code == PAPI_ECLOST);
        CHECK(values[0] > 0 && values[1] >= 0);
    }
    CHECK(calls.n > 0);
    test_drop(es);
}

/* ---- fork, exec, threads */

static int calls_before_fork;

static void count_in_child(void *es)
{
    long long count;
    int own;
    fault(1000);
    EQUAL(calls.n, calls_before_fork);
    EQUAL(own_timers(), 0);
    CODE(PAPI_stop(*(int *)es, &count), PAPI_ECLOST);
    CODE(PAPI_overflow(*(int *)es, test_code_of(FAULTS), 10, 0, note), PAPI_ECLOST);
    own = test_set(FAULTS, NULL);
    OK(PAPI_overflow(own, test_code_of(FAULTS), 10, 0, note));
    check_calls(own, 1000, 10);
    test_drop(own);
    OK(PAPI_cleanup_eventset(*(int *)es));
    OK(PAPI_destroy_eventset((int *)es));
    PAPI_shutdown();
}

/* The child has no counters and no calls; the parent continues. */
static void after_a_fork(void **state)
{
    static const int forms[] = {PAPI_OVERFLOW_HARDWARE, PAPI_OVERFLOW_FORCE_SW};
    NEED_SOFTWARE_EVENTS();
    (void)state;
    for (int i = 0; i < 2; i++) {
        int es = test_set(FAULTS, NULL);
        long long count;
        OK(PAPI_overflow(es, test_code_of(FAULTS), 10, forms[i], note));
        forget_calls();
        OK(PAPI_start(es));
        fault(200);
        calls_before_fork = calls.n;
        test_in_child(count_in_child, &es);
        fault(200);
        OK(PAPI_stop(es, &count));
        if (forms[i] == PAPI_OVERFLOW_HARDWARE)
            EQUAL(calls.n, count / 10);
        test_drop(es);
    }
}

static const char *program;

static void exec_while_counting(void *form)
{
    int es = test_set(FAULTS, CLOCK, NULL);
    OK(PAPI_overflow(es, test_code_of(FAULTS), 1, *(int *)form, note));
    OK(PAPI_overflow(es, test_code_of(CLOCK), 100000, *(int *)form, note));
    OK(PAPI_start(es));
    fault(100);
    execl(program, program, "exec", (char *)NULL);
    CHECK(!"exec");
}

static void after_an_exec(void **state)
{
    int forms[] = {PAPI_OVERFLOW_HARDWARE, PAPI_OVERFLOW_FORCE_SW};
    NEED_SOFTWARE_EVENTS();
    (void)state;
    if (test_under_valgrind())
        SKIP("valgrind holds signals back, which then end the program that is executed");
    for (int i = 0; i < 10; i++)
        test_in_child(exec_while_counting, &forms[i % 2]);
}

static void *leave_it_running(void *form)
{
    int es = test_set(FAULTS, NULL);
    OK(PAPI_overflow(es, test_code_of(FAULTS), 1, *(int *)form, note));
    OK(PAPI_start(es));
    fault(100);
    return NULL;
}

static void threads_that_end(void **state)
{
    int forms[] = {PAPI_OVERFLOW_HARDWARE, PAPI_OVERFLOW_FORCE_SW};
    int descriptors, timers = own_timers();
    NEED_SOFTWARE_EVENTS();
    (void)state;
    OK(PAPI_thread_init(pthread_self));
    descriptors = test_open_descriptors();
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        EQUAL(pthread_create(&thread, NULL, leave_it_running, &forms[i % 2]), 0);
        EQUAL(pthread_join(thread, NULL), 0);
    }
    EQUAL(test_open_descriptors(), descriptors);
    EQUAL(own_timers(), timers);
}

/* ---- software */

static void the_forms_do_not_mix(void **state)
{
    int es;
    static unsigned short bucket;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, MINOR, NULL);
    (void)state;
    OK(PAPI_overflow(es, test_code_of(FAULTS), 10, 0, note));
    CODE(PAPI_overflow(es, test_code_of(MINOR), 10, PAPI_OVERFLOW_FORCE_SW, note), PAPI_ECNFLCT);
    CODE(PAPI_profil(&bucket, 2, NULL, 2, es, test_code_of(MINOR), 10, PAPI_PROFIL_FORCE_SW), PAPI_ECNFLCT);
    OK(PAPI_overflow(es, test_code_of(FAULTS), 0, 0, NULL));
    OK(PAPI_overflow(es, test_code_of(MINOR), 10, PAPI_OVERFLOW_FORCE_SW, note));
    CODE(PAPI_overflow(es, test_code_of(FAULTS), 10, 0, note), PAPI_ECNFLCT);
    CODE(PAPI_overflow(es, test_code_of(FAULTS), 10, PAPI_OVERFLOW_HARDWARE, note), PAPI_ECNFLCT);
    CODE(PAPI_overflow(es, test_code_of(FAULTS), 10, PAPI_OVERFLOW_HARDWARE | PAPI_OVERFLOW_FORCE_SW, note),
         PAPI_EINVAL);
    test_drop(es);
}

static void by_a_timer(void **state)
{
    int es, timers = own_timers();
    long long value;
    NEED_SOFTWARE_EVENTS();
    es = test_set(CLOCK, NULL);
    (void)state;
    OK(PAPI_overflow(es, test_code_of(CLOCK), 10000000, PAPI_OVERFLOW_FORCE_SW, note));
    for (int good = 0, attempt = 0; good < 2; attempt++) {
        CHECK(attempt < ATTEMPTS);
        forget_calls();
        OK(PAPI_start(es));
        test_burn(100000000);
        OK(PAPI_stop(es, &value));
        EQUAL(calls.without_context, 0);
        printf("by a timer: %d calls for %.3f thresholds\n", calls.n, (double)value / 10000000);
        CHECK(calls.n <= value / 10000000);
        good += calls.n >= 2;
    }
    calls.n = 0;
    test_burn(50000000);
    EQUAL(calls.n, 0);
    OK(PAPI_overflow(es, test_code_of(CLOCK), 0, 0, NULL));
    EQUAL(own_timers(), timers);
    /* A threshold that no look misses, and a slow handler: the program still gets its part. */
    OK(PAPI_overflow(es, test_code_of(CLOCK), 1, PAPI_OVERFLOW_FORCE_SW, slow));
    forget_calls();
    OK(PAPI_start(es));
    for (int attempt = 0; attempt < ATTEMPTS && calls.n == 0; attempt++) /* once may end before a tick */
        work(20000000);
    OK(PAPI_stop(es, NULL));
    CHECK(calls.n > 0);
    OK(PAPI_cleanup_eventset(es));
    EQUAL(own_timers(), timers);
    OK(PAPI_destroy_eventset(&es));
}

/* Counts the calls and resets the set: both events come in one call, and what PAPI_reset does to the values
 * does not matter. */
static void reset_both(int es, void *address, long long vector, void *context)
{
    note(es, address, vector, context);
    codes |= PAPI_reset(es);
}

static void never(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
    CHECK(!"an overflow of a set that counts nothing");
}

/* The timer of one set comes while another is being started. */
static void started_beside_a_timer(void **state)
{
    long long value;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int es = test_set(CLOCK, NULL), other = test_set(MAJOR, NULL);
    OK(PAPI_overflow(es, test_code_of(CLOCK), 1, PAPI_OVERFLOW_FORCE_SW, note));
    OK(PAPI_start(es));
    do {
        OK(PAPI_overflow(other, test_code_of(MAJOR), 1000000, PAPI_OVERFLOW_FORCE_SW, never));
        for (int i = 0; i < 20; i++) {
            OK(PAPI_start(other));
            OK(PAPI_stop(other, NULL));
        }
        OK(PAPI_overflow(other, test_code_of(MAJOR), 0, 0, never)); /* and what it was is gone */
        OK(PAPI_read(es, &value));
    } while (value < 1500000000);
    OK(PAPI_stop(es, NULL));
    test_drop(other);
    test_drop(es);
}

static void several_by_a_timer(void **state)
{
    int es;
    NEED_SOFTWARE_EVENTS();
    es = test_set(CLOCK, FAULTS, "perf::CPU-CLOCK", NULL);
    (void)state;
    OK(PAPI_overflow(es, test_code_of(CLOCK), 1000, PAPI_OVERFLOW_FORCE_SW, reset_both));
    OK(PAPI_overflow(es, test_code_of("perf::CPU-CLOCK"), 50000000, PAPI_OVERFLOW_FORCE_SW, reset_both));
    int good = 0;
    for (int attempt = 0; attempt < ATTEMPTS && !good; attempt++) {
        forget_calls();
        codes = 0;
        OK(PAPI_start(es));
        test_burn(220000000);
        OK(PAPI_stop(es, NULL));
        EQUAL(codes, 0);
        EQUAL(calls.vectors & ~(1 << 0 | 1 << 2), 0);
        EQUAL(calls.of[0], calls.n);
        good = calls.of[2] >= 1 && calls.of[2] < calls.n;
    }
    CHECK(good);
    test_drop(es);
}

/* A histogram by weight has every threshold that was passed, otherwise every look. */
static void weights(void **state)
{
    static unsigned long long bucket;
    long long value;
    unsigned long long looks = 0;
    int es;
    NEED_SOFTWARE_EVENTS();
    es = test_set(CLOCK, NULL);
    (void)state;
    for (int weighted = 0, attempt = 0; weighted <= PAPI_PROFIL_WEIGHTED; attempt++) {
        CHECK(attempt < ATTEMPTS);
        bucket = 0;
        OK(PAPI_profil(&bucket, sizeof bucket, NULL, 2, es, test_code_of(CLOCK), 1000,
                       PAPI_PROFIL_BUCKET_64 | PAPI_PROFIL_FORCE_SW | weighted));
        OK(PAPI_start(es));
        test_burn(50000000);
        OK(PAPI_stop(es, &value));
        printf("%s: %llu for %lld thresholds\n", weighted ? "weighted" : "plain", bucket, value / 1000);
        CHECK(bucket <= (unsigned long long)value / 1000);
        if (!weighted) {
            looks = bucket;
            CHECK(looks <= 250);
        }
        /* All but what came after the last look. */
        if (weighted ? bucket > (unsigned long long)value / 2000 : looks >= 2)
            weighted += PAPI_PROFIL_WEIGHTED;
    }
    CHECK(bucket > 100 * looks);
    test_drop(es);
}

static void overflow_of_derived(void *unused)
{
    static const char table[] = "CPU,perf\n"
                                "PRESET,PAPI_TOT_INS,DERIVED_ADD,perf::TASK-CLOCK,perf::PAGE-FAULTS\n"
                                "PRESET,PAPI_TOT_CYC,DERIVED_POSTFIX,N0|2|*|,perf::TASK-CLOCK\n";
    long long values[2];
    int es;
    (void)unused;
    test_presets(table, sizeof table - 1);
    test_init();
    es = test_set("PAPI_TOT_INS", "PAPI_TOT_CYC", NULL);
    CODE(PAPI_overflow(es, PAPI_TOT_INS, 10000000, 0, note), PAPI_EINVAL);
    CHECK(strstr(PAPI_strerror(PAPI_EINVAL), "FORCE_SW") != NULL);
    CODE(PAPI_overflow(es, PAPI_TOT_CYC, 10000000, PAPI_OVERFLOW_HARDWARE, note), PAPI_EINVAL);
    OK(PAPI_overflow(es, PAPI_TOT_INS, 20000000, PAPI_OVERFLOW_FORCE_SW, note));
    OK(PAPI_overflow(es, PAPI_TOT_CYC, 20000000, PAPI_OVERFLOW_FORCE_SW, note));
    int good = 0;
    for (int attempt = 0; attempt < ATTEMPTS && !good; attempt++) {
        forget_calls();
        OK(PAPI_start(es));
        test_burn(220000000);
        OK(PAPI_stop(es, values));
        CHECK(calls.of[0] <= values[0] / 20000000);
        CHECK(calls.of[1] >= calls.of[0] && calls.of[1] <= values[1] / 20000000);
        good = calls.of[0] >= 2;
    }
    CHECK(good);
    test_drop(es);
    PAPI_shutdown();
}

static void derived(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_in_child(overflow_of_derived, NULL);
}

/* ---- profiles */

/* Every sample is in one of the buckets of the touching function, by region and by event. */
static void regions_and_events(void **state)
{
    enum { SIZE = 4096 };
    static unsigned faults[SIZE], minor[SIZE], elsewhere[2];
    int es;
    long long values[2], all[2] = {0, 0};
    size_t length = (size_t)(__stop_touching - __start_touching);
    NEED_SOFTWARE_EVENTS();
    (void)state;
    if (test_under_valgrind())
        SKIP("valgrind runs its own code, at other addresses");
    CHECK(length <= SIZE);
    es = test_set(FAULTS, MINOR, NULL);
    PAPI_sprofil_t regions[] = {
        {faults, (unsigned)(length * sizeof *faults), (vptr_t)__start_touching, 0x20000},
        {elsewhere, 1, NULL, 2}, /* as codes write it, whose buckets are larger */
    };
    CODE(PAPI_profil(NULL, 0, NULL, 0, es, test_code_of(MAJOR), 10, 0), PAPI_EINVAL);
    CHECK(strstr(PAPI_strerror(PAPI_EINVAL), "add it first") != NULL); /* the event before the buffer */
    OK(PAPI_sprofil(regions, 2, es, test_code_of(FAULTS), 10, PAPI_PROFIL_BUCKET_32));
    OK(PAPI_profil(minor, (unsigned)((length + 1) / 2 * sizeof *minor), (vptr_t)__start_touching, 0x10000, es,
                   test_code_of(MINOR), 5, PAPI_PROFIL_BUCKET_32));
    OK(PAPI_start(es));
    fault(3000);
    OK(PAPI_stop(es, values));
    for (size_t i = 0; i < SIZE; i++) {
        all[0] += faults[i];
        all[1] += minor[i];
    }
    EQUAL(all[0] + elsewhere[0], values[0] / 10);
    CHECK(all[0] >= 300 - test_slack());
    CHECK(all[1] >= 600 - test_slack() && all[1] <= values[1] / 5);
    /* All samples are at one address: a single instruction touches the pages. */
    for (size_t i = 0; i < length; i++)
        if (faults[i] > 0) {
            EQUAL(faults[i], all[0]);
            EQUAL(minor[i / 2], all[1]);
        }
    test_drop(es);
}

/* ---- handlers that need the library's lock */

static int clock_code;

static void call_the_library(int es, void *address, long long vector, void *context)
{
    int extra = PAPI_NULL;
    char name[PAPI_MAX_STR_LEN];
    note(es, address, vector, context);
    codes |= PAPI_event_code_to_name(clock_code, name) | PAPI_query_event(clock_code);
    codes |= PAPI_create_eventset(&extra) | PAPI_destroy_eventset(&extra);
}

/* Runs calls that have the lock most of the time, while handlers call the library: a handler comes when such
 * a call is done. A thread that waited for itself would be ended by the alarm. */
static void call_while_handlers_do(int flags)
{
    enum { CALLS = 50, SECONDS = 5, PATIENCE = 60 };
    int es = test_set("perf::TASK-CLOCK", NULL), other = test_set(FAULTS, NULL),
        faults = test_code_of(FAULTS);
    long long value, end = PAPI_get_real_usec() + SECONDS * 1000000LL;
    sigset_t mask;
    clock_code = test_code_of("perf::TASK-CLOCK");
    forget_calls();
    codes = PAPI_OK;
    alarm(PATIENCE);
    OK(PAPI_overflow(es, clock_code, 500000, flags, call_the_library));
    OK(PAPI_start(es));
    while (calls.n < CALLS && PAPI_get_real_usec() < end) {
        OK(PAPI_remove_event(other, faults));
        OK(PAPI_add_event(other, faults));
        OK(PAPI_query_event(faults));
        OK(pthread_sigmask(SIG_SETMASK, NULL, &mask));
        EQUAL(sigismember(&mask, SIGNAL), 0);
    }
    PAPI_stop(es, &value); /* PAPI_ECLOST, perhaps: not what this is about */
    alarm(0);
    CHECK(calls.n > 0);
    EQUAL(codes, PAPI_OK);
    test_drop(es);
    test_drop(other);
}

static void handlers_call_the_library(void **state)
{
    NEED_SOFTWARE_EVENTS();
    (void)state;
    call_while_handlers_do(0);
    call_while_handlers_do(PAPI_OVERFLOW_FORCE_SW);
}

/* A signal that the program blocked is still blocked after calls of the library, which blocks it
 * meanwhile. */
static void a_blocked_signal_stays_blocked(void **state)
{
    sigset_t block, before, mask;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int es = test_set(FAULTS, NULL);
    OK(PAPI_overflow(es, test_code_of(FAULTS), 10, 0, note));
    sigemptyset(&block);
    sigaddset(&block, SIGNAL);
    OK(pthread_sigmask(SIG_BLOCK, &block, &before));
    OK(PAPI_query_event(test_code_of(FAULTS)));
    OK(pthread_sigmask(SIG_SETMASK, &before, &mask));
    EQUAL(sigismember(&mask, SIGNAL), 1);
    test_drop(es);
}

static void component(void **state)
{
    const PAPI_component_info_t *info;
    NEED_SOFTWARE_EVENTS();
    (void)state;
    info = PAPI_get_component_info(0);
    CHECK(info != NULL);
    EQUAL(info->hardware_intr, 1);
    EQUAL(info->hardware_intr_sig, SIGNAL);
    EQUAL(info->precise_intr, 0); /* the address is where the interrupt comes */
    EQUAL(info->posix1b_timers, 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_threshold),
        cmocka_unit_test(states),
        cmocka_unit_test(values_stay_what_they_were),
        cmocka_unit_test(two_events),
        cmocka_unit_test(one_counter),
        cmocka_unit_test(switches),
        cmocka_unit_test(blocked_for_a_while),
        cmocka_unit_test(blocked_to_the_end),
        cmocka_unit_test(other_signals),
        cmocka_unit_test(the_queue_may_be_full),
        cmocka_unit_test(memory_for_samples),
        cmocka_unit_test(handlers_use_the_counters),
        cmocka_unit_test(slow_handlers),
        cmocka_unit_test(overflows_while_stopping),
        cmocka_unit_test(after_a_fork),
        cmocka_unit_test(after_an_exec),
        cmocka_unit_test(threads_that_end),
        cmocka_unit_test(the_forms_do_not_mix),
        cmocka_unit_test(by_a_timer),
        cmocka_unit_test(several_by_a_timer),
        cmocka_unit_test(started_beside_a_timer),
        cmocka_unit_test(weights),
        cmocka_unit_test(derived),
        cmocka_unit_test(regions_and_events),
        cmocka_unit_test(handlers_call_the_library),
        cmocka_unit_test(a_blocked_signal_stays_blocked),
        cmocka_unit_test(component),
    };
    program = argv[0];
    if (argc > 1)
        return 0; /* the exec of a test */
    return TEST_RUN(tests);
}
