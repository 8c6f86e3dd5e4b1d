/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parked event sets, whose counters stay on from a stop to the next start.
 *   node_parking yes|no    whether reads need no system call here (kernel.perf_user_access): counts are
 *                          exact, and a parked set gives up its counters to another one
 *   node_parking switches  what a parked set costs the thread at each context switch
 *   node_parking others    and what it leaves to the counters that another program has on the whole CPU
 */
#include "counted_loop.h"
#include "node_forbid.h"
#include "node_names.h"
#include "node_test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLACK 200 /* of instructions, for the calls between two measurements */

/* ---- counts */

static long long beside_the_loop(int es, long n)
{
    long long values[2];
    NEED(PAPI_start(es));
    counted_loop(n);
    NEED(PAPI_stop(es, values));
    counted_loop(12345); /* is not counted */
    return values[0] - COUNTED_LOOP_LENGTH * n;
}

static void check_exact(int es, const char *when)
{
    long long constant = -1;
    beside_the_loop(es, 10);
    for (long n = 10; n <= 10000000; n *= 100) {
        long long beside = beside_the_loop(es, n);

        constant = n == 10 ? beside : constant;
        node_check(beside == constant && beside >= 0 && beside <= SLACK,
                   "%s: %lld instructions beside %ld turns of the loop", when, beside, n);
    }
}

/* Makes a set that needs every counter that there is, in one of two orders. */
static int set_of_all(int order)
{
    const char *names[NODE_NAMES + 1] = {NULL};
    int n = node_counters();
    for (int i = 0; i < n; i++)
        names[i] = node_names[order == 0 ? i : n - 1 - i];
    return node_set(names);
}

/* The instructions (cycles, on the node) from one read of a set of all counters to the next: in user space
 * each counter takes some, and there are seven or eighteen. The first read looks up what is looked up once.
 */
static long long read_length;

static long long whole_read(void)
{
    long long values[3][NODE_NAMES];
    int es = set_of_all(0);
    NEED(PAPI_start(es));
    for (int i = 0; i < 3; i++)
        NEED(PAPI_read(es, values[i]));
    NEED(PAPI_stop(es, NULL));
    NEED(PAPI_cleanup_eventset(es));
    return values[2][0] - values[1][0];
}

/* From a parked set's start to its stop, the other counters are read once, as from read to read. */
static void check_loop(int es, const char *what)
{
    long long values[NODE_NAMES];
    int code = PAPI_start(es);
    counted_loop(100000);
    code = code == PAPI_OK ? PAPI_stop(es, values) : code;
    node_check(code == PAPI_OK && values[0] >= 500000 && values[0] <= 500000 + read_length + SLACK,
               "%s = %lld (%d)", what, code == PAPI_OK ? values[0] : -1, code);
}

static void check_room(int user)
{
    const PAPI_component_info_t *component;
    int first, second, third;
    read_length = whole_read();
    printf("  from read to read of all counters: %lld instructions\n", read_length);
    first = set_of_all(0);
    second = set_of_all(1);
    check_loop(first, "the first set of all counters");
    check_loop(first, "  again, parked meanwhile");
    check_loop(second, "the second set, which needs them all");
    check_loop(first, "the first set");
    check_loop(first, "  again");
    /* Found out now, while a parked set has all counters. */
    component = PAPI_get_component_info(0);
    node_check(component && component->num_cntrs >= node_counters() &&
                   (int)component->fast_counter_read == user,
               "%d counters, fast_counter_read = %d", component ? component->num_cntrs : -1,
               component ? (int)component->fast_counter_read : -1);
    check_loop(first, "the first set");
    third = NODE_SET(NODE_INSTRUCTIONS); /* tried when it is added */
    check_loop(third, "a third one");
    for (int i = 0; i < 3; i++) {
        check_loop(first, "the first set in turn");
        check_loop(second, "with the second set");
    }
}

static void check_calls(int es, int user)
{
    beside_the_loop(es, 1);
    node_check(node_forbid(__NR_ioctl) == 0 && (!user || node_forbid(__NR_read) == 0),
               "ioctl(2)%s is forbidden from here on", user ? ", as read(2)," : "");
    check_exact(es, "then");
}

/* ---- context switches */

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Gives a byte to another process and gets it back; the node has one CPU. On it a nanosecond is an
 * instruction. */
static long long switch_there_and_back(void)
{
    enum { ROUNDS = 300 };
    long long best = 1LL << 62;
    int there[2], back[2];
    char byte = 0;
    pid_t child;

    if (pipe(there) || pipe(back))
        exit(1);
    child = fork();
    if (child == 0) {
        close(there[1]);
        while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
            ;
        _exit(0);
    }
    close(there[0]);
    for (int batch = 0; batch < 9; batch++) {
        long long start = now(), cost;

        for (int i = 0; i < ROUNDS; i++)
            if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
                exit(1);
        cost = (now() - start) / ROUNDS;
        best = cost < best ? cost : best;
    }
    close(there[1]);
    close(back[0]);
    close(back[1]);
    waitpid(child, NULL, 0);
    return best;
}

/* The child does not open the library: its counters are closed, and the parent's are not its own. */
static long long switches_with(const char *parking, int running)
{
    long long cost;
    int es;
    setenv("PAPI_PARKING", parking, 1);
    node_init();
    es = NODE_SET(NODE_INSTRUCTIONS, NODE_CYCLES);
    NEED(PAPI_start(es));
    if (!running)
        NEED(PAPI_stop(es, NULL));
    cost = switch_there_and_back();
    PAPI_shutdown();
    return cost;
}

static void check_switches(void)
{
    long long none = switch_there_and_back();
    long long stopped = switches_with("off", 0), parked = switches_with("on", 0);
    long long running = switches_with("on", 1);
    printf("  two switches: %lld instructions; with a stopped set of two events %lld, parked %lld, running "
           "%lld\n",
           none, stopped, parked, running);
    node_check(parked > stopped, "a parked set is switched, too");
    node_check(parked <= running + running / 20, "a parked set costs no more than one that runs");
}

/* ---- the counters of others */

/* Found out at first: the library's answers about events end the parking of sets. */
static int n_others;

/* As another program would have them: each for itself on CPU 0, in turns or (pinned) always. */
static void open_others(int pinned, int *fds)
{
    for (int i = 0; i < n_others; i++) {
        struct perf_event_attr attr;

        memset(&attr, 0, sizeof attr);
        attr.size = sizeof attr;
        attr.type = PERF_TYPE_HARDWARE;
        attr.config = i % 2 == 0 ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS;
#if defined(__powerpc64__)
        if (i >=
            4) { /* POWER's last two counters take nothing but instructions and cycles of the run latch */
            attr.type = PERF_TYPE_RAW;
            attr.config = i == 4 ? 0x500fa : 0x600f4;
        }
#endif
        attr.pinned = (unsigned)pinned;
        attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        fds[i] = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
        if (fds[i] < 0)
            exit(1);
    }
}

/* While this thread is busy, in percent: the part of the time that the others' counters were on, the average.
 * A pinned one that lost its counter cannot be read: 0. Closes them. */
static int others_on(const int *fds)
{
    double sum = 0;
    counted_loop(20000000);
    for (int i = 0; i < n_others; i++) {
        struct {
            unsigned long long count, enabled, running;
        } reading;

        if (read(fds[i], &reading, sizeof reading) == sizeof reading && reading.enabled > 0)
            sum += 100.0 * (double)reading.running / (double)reading.enabled;
        close(fds[i]);
    }
    return (int)(sum / n_others + 0.5);
}

static int others_beside(int es, int running)
{
    long long values[2];
    int fds[NODE_NAMES], on;
    NEED(PAPI_start(es));
    if (!running)
        NEED(PAPI_stop(es, NULL));
    open_others(0, fds);
    on = others_on(fds);
    if (running)
        NEED(PAPI_stop(es, values));
    return on;
}

static int set_with(const char *parking)
{
    PAPI_shutdown();
    setenv("PAPI_PARKING", parking, 1);
    node_init();
    return NODE_SET(NODE_INSTRUCTIONS, NODE_CYCLES);
}

static void check_others(void)
{
    n_others = node_counters();
    long long values[2];
    int stopped = others_beside(set_with("off"), 0), es = set_with("on"), fds[NODE_NAMES], code;
    int parked = others_beside(es, 0), running = others_beside(es, 1);

    printf(
        "  %d counters of another program were on for %d %% of the time beside a stopped set of two events, "
        "%d %% beside a parked one, %d %% beside one that runs\n",
        n_others, stopped, parked, running);
    node_check(stopped >= 99, "a stopped set leaves them all");
    node_check(parked >= running - 5 && parked >= 60, "a parked one leaves what one that runs leaves");

    /* Pinned counters of a CPU come first: a watchdog's, for example. */
    beside_the_loop(es, 10);
    open_others(1, fds);
    node_check(others_on(fds) >= 99, "a parked set takes nothing from pinned counters");
    beside_the_loop(es, 10);
    beside_the_loop(es, 10);
    node_check(beside_the_loop(es, 100000) <= SLACK, "  and counts again when they are gone");
    open_others(1, fds);
    code = PAPI_start(es);
    counted_loop(100000);
    code = code == PAPI_OK ? PAPI_stop(es, values) : code;
    node_check(code == PAPI_ECNFLCT, "as long as they are there, counting says so: %d (%s)", code,
               code < 0 ? PAPI_strerror(code) : "");
    others_on(fds);
    node_check(beside_the_loop(es, 100000) <= SLACK, "  and then nothing of that run is left");
}

int main(int argc, char **argv)
{
    int user = argc > 1 && strcmp(argv[1], "yes") == 0, es;
    if (argc > 1 && strcmp(argv[1], "switches") == 0) {
        check_switches();
        return node_test_end();
    }
    node_init();
    if (argc > 1 && strcmp(argv[1], "others") == 0) {
        check_others();
        return node_test_end();
    }
    check_room(user);
    es = NODE_SET(NODE_INSTRUCTIONS, NODE_CYCLES);
    check_exact(es, "parked");
    check_calls(es, user);
    return node_test_end();
}
