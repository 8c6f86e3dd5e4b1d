/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event sets that share the counters (PAPI_SHARE) with another process, which has all of them on every CPU:
 * for good, in turns of 50 ms, or not at all. A value is near the work done or an error, and never a part of
 * it; what is said of its share is so.
 */
#include "counted_loop.h"
#include "node_holder.h"
#include "node_names.h"
#include "node_test.h"
#include "node_worker.h"

#include <pthread.h>
#include <string.h>

enum { MILLION = 1000000 };

static int set_share(int es, int on)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.share.eventset = es;
    option.share.on = on;
    return PAPI_set_opt(PAPI_SHARE, &option);
}

static void add(int es, int n)
{
    for (int i = 0; i < n; i++)
        NEED(PAPI_add_named_event(es, node_names[i]));
}

static int sharing(int n)
{
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    NEED(set_share(es, 1));
    add(es, n);
    return es;
}

static double percent_off(long long got, long long wanted)
{
    return 100.0 * ((double)got - (double)wanted) / (double)wanted;
}

static int within(long long got, long long wanted, double percent)
{
    double off = percent_off(got, wanted);
    return off <= percent && off >= -percent;
}

/* Nobody has counters: the values are exact, and said to be. */
static void alone(void)
{
    long long values[2];
    double shares[2];
    int state, es = sharing(2);
    NEED(PAPI_state(es, &state));
    node_check((state & PAPI_SHARING) != 0, "the state says that it shares");
    CODE(PAPI_read_shares(es, shares), PAPI_OK);
    node_check(shares[0] == 1 && shares[1] == 1, "before a start nothing was missed");
    for (int round = 0; round < 3; round++) {
        NEED(PAPI_start(es));
        counted_loop(2 * MILLION);
        CODE(PAPI_stop(es, values), PAPI_OK);
        CODE(PAPI_read_shares(es, shares), PAPI_OK);
        node_check(values[1] >= 10 * MILLION && values[1] < 10 * MILLION + 1000 && shares[1] == 1,
                   "alone: %lld instructions, with a share of %g", values[1], shares[1]);
    }
    node_drop(es);
}

/* Events under two names are alike in every reading: what is derived from several events is of one moment. */
static void alike(void)
{
    long long values[4], most = 0;
    int es = sharing(4);
    NEED(PAPI_start(es));
    for (int round = 0; round < 200; round++) {
        NEED(PAPI_read(es, values));
        long long off = llabs(values[3] - values[1]);
        most = off > most ? off : most;
    }
    CODE(PAPI_stop(es, values), PAPI_OK);
    node_check(most == 0 && values[3] == values[1],
               "one event, twice: %lld apart at most, and %lld at the end", most, values[3] - values[1]);
    node_drop(es);
}

/* All counters are another's all the time. */
static void never(void)
{
    long long values[2] = {-1, -1};
    double shares[2] = {-1, -1};
    int es = PAPI_NULL;
    struct holder holder = hold_counters(HOLD_ALWAYS);
    NEED(PAPI_create_eventset(&es));
    CODE(PAPI_add_named_event(es, node_names[1]), PAPI_ECNFLCT);
    node_drop(es);
    es = sharing(2);
    CODE(PAPI_start(es), PAPI_OK);
    counted_loop(10 * MILLION);
    CODE(PAPI_read(es, values), PAPI_ECNFLCT);
    CODE(PAPI_accum(es, values), PAPI_ECNFLCT);
    CODE(PAPI_reset(es), PAPI_ECNFLCT);
    CODE(PAPI_read_shares(es, shares), PAPI_OK);
    node_check(shares[0] == 0 && shares[1] == 0, "the shares while it runs: %g, %g", shares[0], shares[1]);
    CODE(PAPI_stop(es, values), PAPI_ECNFLCT);
    CODE(PAPI_read(es, values), PAPI_ECNFLCT);
    CODE(PAPI_read_shares(es, shares), PAPI_OK);
    node_check(shares[0] == 0 && shares[1] == 0, "and stopped: %g, %g", shares[0], shares[1]);
    node_check(values[0] == -1 && values[1] == -1, "no value was written");
    let_counters_go(&holder);
    NEED(PAPI_start(es));
    counted_loop(2 * MILLION);
    CODE(PAPI_stop(es, values), PAPI_OK);
    node_check(values[1] >= 10 * MILLION && values[1] < 10 * MILLION + 1000, "then free: %lld", values[1]);
    node_drop(es);
}

/* A set that shares nothing, and is pushed off its counters: no share of it is 1. */
static void pushed_off(void)
{
    long long values[2];
    double shares[2];
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_add_named_event(es, node_names[1]));
    NEED(PAPI_start(es));
    struct holder holder = hold_counters(HOLD_ALWAYS);
    counted_loop(MILLION);
    CODE(PAPI_read(es, values), PAPI_ECNFLCT);
    CODE(PAPI_read_shares(es, shares), PAPI_ECNFLCT);
    CODE(PAPI_stop(es, values), PAPI_ECNFLCT);
    CODE(PAPI_read_shares(es, shares), PAPI_ECNFLCT);
    let_counters_go(&holder);
    NEED(PAPI_start(es));
    CODE(PAPI_read_shares(es, shares), PAPI_OK);
    node_check(shares[0] == 1, "then it is: %g", shares[0]);
    NEED(PAPI_stop(es, values));
    node_drop(es);
}

/* The counters are free for half of the time. The loop does the same all the time, so that the estimate is as
 * good as the times are: the kernel's rotation looks every 4 ms at what is free, which is time that is not
 * counted in; what is lost is some microseconds at each change, of 50 ms. */
static void by_turns(void)
{
    long long values[2];
    double shares[2];
    int es = sharing(2);
    struct holder holder = hold_counters(HOLD_IN_TURNS);
    NEED(PAPI_start(es));
    counted_loop(60 * MILLION);
    CODE(PAPI_stop(es, values), PAPI_OK);
    CODE(PAPI_read_shares(es, shares), PAPI_OK);
    node_check(within(values[1], 300 * MILLION, 1), "in turns: %lld, %+.3f %%", values[1],
               percent_off(values[1], 300 * MILLION));
    node_check(shares[1] > 0.3 && shares[1] < 0.7, "with a share of %.3f", shares[1]);

    /* Read all the time, just after it got counters, too. */
    double worst = 0;
    int counted = 0;
    NEED(PAPI_start(es));
    for (int round = 1; round <= 1500; round++) {
        counted_loop(MILLION / 25);
        int code = PAPI_read(es, values);
        if (code != PAPI_OK && !node_check(code == PAPI_ECNFLCT, "a read is %d", code))
            break;
        double off = code == PAPI_OK ? percent_off(values[1], round * (long long)MILLION / 5) : 0;
        off = off < 0 ? -off : off;
        worst = off > worst ? off : worst;
        counted += code == PAPI_OK;
    }
    CODE(PAPI_stop(es, values), PAPI_OK);
    node_check(counted > 1000 && worst < 5, "%d of 1500 reads are counts, at most %.3f %% off", counted,
               worst);
    node_check(within(values[1], 300 * MILLION, 1), "read often: %lld, %+.3f %%", values[1],
               percent_off(values[1], 300 * MILLION));
    let_counters_go(&holder);
    node_drop(es);
}

/* Checks an estimate: of a multiplexed set, an inherited one, of a whole CPU, of another process. */
static void check_estimate(const char *what, int es, int code, const long long *values, long long wanted,
                           double percent)
{
    double shares[2] = {-1, -1};
    node_code(code, PAPI_OK, what);
    if (code != PAPI_OK)
        return;
    CODE(PAPI_read_shares(es, shares), PAPI_OK);
    node_check(within(values[1], wanted, percent), "%s: %lld, %+.3f %%", what, values[1],
               percent_off(values[1], wanted));
    node_check(shares[1] > 0.2 && shares[1] < 0.8, "with a share of %.3f", shares[1]);
}

static void elsewhere(void)
{
    struct holder holder = hold_counters(HOLD_IN_TURNS);
    long long values[2];
    int status, es = sharing(2);
    NEED(PAPI_set_multiplex(es));
    NEED(PAPI_start(es));
    counted_loop(60 * MILLION);
    check_estimate("multiplexed", es, PAPI_stop(es, values), values, 300 * MILLION, 3);
    node_drop(es);

    es = sharing(2);
    node_inherit(es);
    NEED(PAPI_start(es));
    pid_t pid = fork();
    if (pid == 0) {
        counted_loop(40 * MILLION);
        _exit(0);
    }
    counted_loop(40 * MILLION);
    waitpid(pid, &status, 0);
    check_estimate("with a child", es, PAPI_stop(es, values), values, 400 * MILLION, 5);
    node_drop(es);

    es = sharing(2);
    node_on_first_cpu(es);
    NEED(PAPI_start(es));
    counted_loop(60 * MILLION);
    check_estimate("a CPU", es, PAPI_stop(es, values), values, 300 * MILLION, 5);
    node_drop(es);

    for (int whole = 0; whole < 2; whole++) {
        es = sharing(2);
        struct worker worker = begin_worker(40 * MILLION);
        NEED(whole ? PAPI_attach_process(es, worker.pid, 0) : PAPI_attach(es, (unsigned long)worker.pid));
        NEED(PAPI_start(es));
        CODE(PAPI_read(es, values), PAPI_OK);
        node_check(values[1] == 0, "nothing was done yet: %lld", values[1]);
        let_work(&worker);
        check_estimate(whole ? "a process" : "another thread", es, PAPI_stop(es, values), values,
                       200 * MILLION, 2);
        CODE(PAPI_attach_process(es, worker.pid, PAPI_PROCESS_THREADS), PAPI_EINVAL);
        end_worker(&worker);
        node_drop(es);
    }

    es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_assign_eventset_component(es, 0));
    NEED(PAPI_set_multiplex(es));
    add(es, 2);
    struct worker worker = begin_worker(40 * MILLION);
    NEED(PAPI_attach_process(es, worker.pid, PAPI_PROCESS_THREADS));
    NEED(PAPI_start(es));
    let_work(&worker);
    end_worker(&worker); /* what was missed of it stays known */
    check_estimate("each thread, multiplexed", es, PAPI_stop(es, values), values, 200 * MILLION, 3);
    node_drop(es);
    let_counters_go(&holder);
}

/* ---- threads that run for a moment */

enum { BLINKS = 8, BLINK_LOOPS = MILLION / 100 };

static struct {
    int go[2], done[2];
} process;

static void wait_to_go(void)
{
    char byte;
    if (read(process.go[0], &byte, 1) != 1)
        _exit(0);
}

static void say_done(void)
{
    if (write(process.done[1], "", 1) != 1)
        _exit(1);
}

/* At a time of its own: some where the counters are free, and some where another has them. */
static void *blink(void *number)
{
    wait_to_go();
    usleep(20000 * (useconds_t)(1 + (long)number));
    counted_loop(BLINK_LOOPS);
    say_done();
    pause();
    return NULL;
}

/* A process whose threads blink, while its first one does a loop. */
static pid_t begin_process(long loops)
{
    pthread_t thread;
    fflush(stdout);
    if (pipe(process.go) != 0 || pipe(process.done) != 0)
        exit(1);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    for (long i = 0; i < BLINKS; i++)
        if (pthread_create(&thread, NULL, blink, (void *)i) != 0)
            _exit(1);
    say_done();
    wait_to_go();
    counted_loop(loops);
    say_done();
    for (;;)
        pause();
}

static void await(int n)
{
    char byte;
    for (int i = 0; i < n; i++)
        node_check(read(process.done[0], &byte, 1) == 1, "the process is there");
}

/* The counts of such threads may be unknown without hiding what the process does, if that is most of it;
 * where they are the process, its count is unknown, too. */
static void threads_that_blink(long loops, int known)
{
    long long values[2], wanted = 5 * (loops + BLINKS * BLINK_LOOPS);
    struct holder holder = hold_counters(HOLD_IN_TURNS);
    pid_t pid = begin_process(loops);
    await(1);
    usleep(50000); /* until all wait */
    int es = sharing(2);
    NEED(PAPI_attach_process(es, pid, 0));
    NEED(PAPI_start(es));
    if (write(process.go[1], "123456789", BLINKS + 1) != BLINKS + 1)
        exit(1);
    await(BLINKS + 1);
    usleep(50000);
    if (known) {
        check_estimate("a process whose threads blink", es, PAPI_read(es, values), values, wanted, 2);
        CODE(PAPI_reset(es), PAPI_OK);
        CODE(PAPI_read(es, values), PAPI_OK);
        node_check(values[1] == 0, "nothing since the reset: %lld", values[1]);
    } else {
        values[1] = -7;
        CODE(PAPI_read(es, values), PAPI_ECNFLCT);
        node_check(strstr(PAPI_strerror(PAPI_ECNFLCT), "on threads or CPUs that have") != NULL,
                   "which says why");
        CODE(PAPI_reset(es), PAPI_ECNFLCT);
        node_check(values[1] == -7, "no value was written");
    }
    CODE(PAPI_stop(es, values), known ? PAPI_OK : PAPI_ECNFLCT);
    node_drop(es);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    let_counters_go(&holder);
}

/* Runs that are shorter than the other's turns, by stops or by resets: each is near its work or an error. */
static void short_runs(int by_resets)
{
    long long values[2];
    double shares[2], worst = 0, worst_share = 1;
    int counted = 0, refused = 0, wrong = 0, es = sharing(2);
    struct holder holder = hold_counters(HOLD_IN_TURNS);
    if (by_resets)
        NEED(PAPI_start(es));
    for (int round = 0; round < 100; round++) {
        int code = by_resets ? PAPI_OK : PAPI_start(es);
        counted_loop(MILLION);
        code = code ? code : by_resets ? PAPI_read(es, values) : PAPI_stop(es, values);
        NEED(PAPI_read_shares(es, shares));
        int reset = by_resets ? PAPI_reset(es) : code;
        if (code == PAPI_ECNFLCT && reset == PAPI_ECNFLCT) {
            refused++;
            wrong += shares[1] >= 0.1;
            if (by_resets) { /* the time goes on until there is a count */
                while ((code = PAPI_reset(es)) == PAPI_ECNFLCT)
                    counted_loop(MILLION / 10);
                NEED(code);
            }
            continue;
        }
        NEED(code);
        counted++;
        double off = percent_off(values[1], 5 * MILLION);
        if ((off < 0 ? -off : off) > worst) {
            worst = off < 0 ? -off : off;
            worst_share = shares[1];
        }
        wrong += values[1] <= 0 || shares[1] <= 0;
    }
    if (by_resets)
        PAPI_stop(es, NULL);
    node_check(counted >= 20 && wrong == 0, "short runs%s: %d counted, %d refused, %d wrong",
               by_resets ? " by resets" : "", counted, refused, wrong);
    /* Some microseconds of 0.1 ms at each end are the kernel's, which is not counted. */
    node_check(worst < 10, "the worst is %.3f %% off, with a share of %.4f", worst, worst_share);
    let_counters_go(&holder);
    node_drop(es);
}

int main(void)
{
    node_init();
    alone();
    alike();
    never();
    pushed_off();
    by_turns();
    short_runs(0);
    short_runs(1);
    elsewhere();
    threads_that_blink(60 * MILLION, 1);
    threads_that_blink(1000, 0);
    return node_test_end();
}
