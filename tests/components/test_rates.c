/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signal handlers that ask for rates, and read the counters of PAPI_start_counters: on a timer of 100 us, and
 * at every instruction of the program's own calls. Operations and cycles are page faults, instructions are
 * two for each.
 */
#include "../interrupted.h"
#include "../stepping.h"
#include "folder.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { RUN_MS = 250 };

/* ---- the work */

static volatile char *page;
static long long made;

static void make_faults(int n)
{
    for (int i = 0; i < n; i++) {
        madvise((void *)(uintptr_t)page, 1, MADV_DONTNEED);
        page[0] = 1;
        made++;
    }
}

/* All of the thread. A fault that a signal interrupts begins twice, and is one for getrusage. */
static long long faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt + signals;
}

/* ---- what is asked */

struct figures {
    float rtime, ptime, rate;
    long long count;
};

struct rate {
    const char *name;
    int (*ask)(struct figures *);
    int each;   /* of its events are one fault */
    bool ratio; /* to cycles, not to a second */
};

static int ask_flops(struct figures *f)
{
    return PAPI_flops(&f->rtime, &f->ptime, &f->count, &f->rate);
}

static int ask_flips(struct figures *f)
{
    return PAPI_flips(&f->rtime, &f->ptime, &f->count, &f->rate);
}

static int ask_ipc(struct figures *f)
{
    return PAPI_ipc(&f->rtime, &f->ptime, &f->count, &f->rate);
}

static int ask_flops_rate(struct figures *f)
{
    return PAPI_flops_rate(PAPI_FP_OPS, &f->rtime, &f->ptime, &f->count, &f->rate);
}

static int ask_flips_rate(struct figures *f)
{
    return PAPI_flips_rate(PAPI_FP_INS, &f->rtime, &f->ptime, &f->count, &f->rate);
}

static int ask_epc(struct figures *f)
{
    long long reference, cycles;
    int code = PAPI_epc(0, &f->rtime, &f->ptime, &reference, &cycles, &f->count, &f->rate);
    HOLDS(code != PAPI_OK || f->count == 2 * cycles, f->count, 2 * cycles);
    return code;
}

static const struct rate rates[] = {
    {"PAPI_flops", ask_flops, 1, false},
    {"PAPI_flips", ask_flips, 1, false},
    {"PAPI_ipc", ask_ipc, 2, true},
    {"PAPI_flops_rate", ask_flops_rate, 1, false},
    {"PAPI_flips_rate", ask_flips_rate, 1, false},
    {"PAPI_epc", ask_epc, 2, true},
};
enum { N_RATES = sizeof rates / sizeof rates[0] };

static const struct rate *rate;
static long long began;       /* faults at the first call */
static long long began_nsec;  /* and the time then */
static volatile int refusals; /* of a handler, because it interrupted a call */

/* The figures are of what was done at the most. */
static void check_figures(const struct figures *f)
{
    float seconds = (float)(PAPI_get_real_nsec() - began_nsec) * 1e-9F;
    long long most = rate->each * (faults() - began);
    HOLDS(f->count >= 0 && f->count <= most, f->count, most);
    HOLDS(f->rtime >= 0 && f->rtime <= seconds, (long long)(f->rtime * 1e9F), (long long)(seconds * 1e9F));
    HOLDS(f->ptime >= 0, (long long)(f->ptime * 1e9F), 0);
    if (rate->ratio)
        HOLDS(f->rate == 0 || f->rate == 2, (long long)(1000 * f->rate), 2000);
    else
        HOLDS(f->rate >= 0, (long long)(1000 * f->rate), 0);
}

static void ask_in_program(void)
{
    struct figures f = {0};
    IS(rate->ask(&f), PAPI_OK);
    check_figures(&f);
}

/* A handler that has interrupted a call changes nothing. */
static void ask_in_handler(void)
{
    struct figures f = {-1, -2, -3, -4};
    int code = rate->ask(&f);
    HOLDS(code == PAPI_OK || code == PAPI_ECNFLCT, code, PAPI_ECNFLCT);
    refusals += code == PAPI_ECNFLCT;
    if (code == PAPI_OK)
        check_figures(&f);
    else
        HOLDS(f.rtime == -1 && f.ptime == -2 && f.rate == -3 && f.count == -4, f.count, -4);
}

/* ---- setting up */

static void begin(void)
{
    char path[256];
    shows("presets.csv", "CPU,perf\n"
                         "PRESET,PAPI_FP_OPS,NOT_DERIVED,perf::PAGE-FAULTS\n"
                         "PRESET,PAPI_FP_INS,NOT_DERIVED,perf::PAGE-FAULTS\n"
                         "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::PAGE-FAULTS\n"
                         "PRESET,PAPI_TOT_INS,DERIVED_POSTFIX,N0|2|*|,perf::PAGE-FAULTS\n");
    snprintf(path, sizeof path, "%s/presets.csv", folder);
    setenv("PAPI_CSV_EVENT_FILE", path, 1);
    begin_here();
    int code = PAPI_query_event(PAPI_FP_OPS);
    if (code != PAPI_OK) {
        printf("SKIP: perf::PAGE-FAULTS: %s\n", PAPI_strerror(code));
        skip();
    }
    page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    failed_at = signals = refusals = 0;
    made = 0;
    began = faults();
    began_nsec = PAPI_get_real_nsec();
}

static void fail_if_wrong(const char *what)
{
    if (failed_at != 0)
        fail_msg("%s, line %d: %lld where %lld was expected or possible: %s", what, failed_at, failed_value,
                 failed_bound, failed_value < 0 ? PAPI_strerror((int)failed_value) : "");
}

/* ---- by a timer */

static void run(const char *what, void (*program)(void), void (*handler)(void))
{
    long long end = PAPI_get_real_usec() + RUN_MS * 1000;
    in_handler = handler;
    every(100);
    while (failed_at == 0 && PAPI_get_real_usec() < end) {
        make_faults(3);
        program();
    }
    every(0);
    fail_if_wrong(what);
    assert_true(signals > 0);
}

/* Whatever came in between, they all are counted, and none twice. */
static void check_total(void)
{
    struct figures f = {0};
    long long at_least = made;
    assert_int_equal(rate->ask(&f), PAPI_OK);
    if (f.count < rate->each * at_least || f.count > rate->each * (faults() - began))
        fail_msg("%s: %lld of %lld to %lld faults, each %d", rate->name, f.count, at_least, faults() - began,
                 rate->each);
}

static void rates_under_a_timer(void **state)
{
    (void)state;
    begin();
    for (rate = rates; rate < rates + N_RATES; rate++) {
        began = faults();
        made = 0;
        ask_in_program();
        run(rate->name, ask_in_program, ask_in_handler);
        check_total();
        assert_int_equal(PAPI_rate_stop(), PAPI_OK);
    }
}

static long long by_program, by_handler;

static void read_counters(void)
{
    long long value = -1;
    IS(PAPI_read_counters(&value, 1), PAPI_OK);
    HOLDS(value >= 0, value, 0);
    by_program += value;
}

static void accum_counters(void)
{
    IS(PAPI_accum_counters(&by_program, 1), PAPI_OK);
}

/* Refused counts are written nowhere. */
static void read_counters_in_handler(void)
{
    long long value = -1;
    int code = PAPI_read_counters(&value, 1);
    HOLDS(code == PAPI_OK || code == PAPI_ECNFLCT || code == PAPI_ENOTRUN, code, PAPI_ECNFLCT);
    refusals += code == PAPI_ECNFLCT;
    HOLDS(code == PAPI_OK ? value >= 0 : value == -1, value, -1);
    if (code == PAPI_OK)
        by_handler += value;
}

static void accum_counters_in_handler(void)
{
    long long before = by_handler;
    int code = PAPI_accum_counters(&by_handler, 1);
    HOLDS(code == PAPI_OK || code == PAPI_ECNFLCT || code == PAPI_ENOTRUN, code, PAPI_ECNFLCT);
    refusals += code == PAPI_ECNFLCT;
    HOLDS(code == PAPI_OK ? by_handler >= before : by_handler == before, by_handler, before);
}

static void stop_and_start_counters(void)
{
    int event = PAPI_FP_OPS;
    long long value = -1;
    IS(PAPI_stop_counters(&value, 1), PAPI_OK);
    HOLDS(value >= 0, value, 0);
    by_program += value;
    IS(PAPI_start_counters(&event, 1), PAPI_OK);
}

/* No fault is in two of the sums; or in none, unless the counters were off for a while. */
static void check_sums(const char *what, bool all)
{
    long long value = -1, at_least = all ? made : 1;
    assert_int_equal(PAPI_stop_counters(&value, 1), PAPI_OK);
    long long sum = by_program + by_handler + value;
    if (sum < at_least || sum > faults() - began)
        fail_msg("%s: %lld + %lld + %lld of %lld to %lld", what, by_program, by_handler, value, at_least,
                 faults() - began);
}

static void begin_counters(void)
{
    int event = PAPI_FP_OPS;
    by_program = by_handler = made = 0;
    began = faults();
    assert_int_equal(PAPI_start_counters(&event, 1), PAPI_OK);
}

static void counters_under_a_timer(void **state)
{
    static const struct {
        const char *name;
        void (*program)(void), (*handler)(void);
        bool all;
    } pairs[] = {
        {"read, read", read_counters, read_counters_in_handler, true},
        {"read, accum", read_counters, accum_counters_in_handler, true},
        {"accum, read", accum_counters, read_counters_in_handler, true},
        {"accum, accum", accum_counters, accum_counters_in_handler, true},
        {"stop and start, read", stop_and_start_counters, read_counters_in_handler, false},
        {"stop and start, accum", stop_and_start_counters, accum_counters_in_handler, false},
    };
    (void)state;
    begin();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        begin_counters();
        run(pairs[i].name, pairs[i].program, pairs[i].handler);
        check_sums(pairs[i].name, pairs[i].all);
    }
}

/* ---- at every instruction */

static int apart = 4; /* 1: with an argument, which takes four times as long */

#ifdef STEPPING

static volatile int at, change_at; /* instructions of the call; where the handler comes */
static void (*volatile change)(void);

static void trap(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    if (++at < change_at)
        return;
    make_faults(1);
    change();
    make_faults(1);
    step_no_more(context);
}

/* True if the handler came. */
static bool interrupt(void (*program)(void), void (*handler)(void), int where)
{
    at = 0;
    change_at = where;
    change = handler;
    step_through(program);
    return at >= where;
}

/* The next figures begin where the last ended. */
static void check_goes_on(int where)
{
    struct figures first = {0}, second = {0};
    IS(rate->ask(&first), PAPI_OK);
    check_figures(&first);
    long long since = faults(), from = PAPI_get_virt_nsec();
    make_faults(20);
    long long nsec = PAPI_get_virt_nsec() - from;
    IS(rate->ask(&second), PAPI_OK);
    check_figures(&second);
    long long grew = second.count - first.count, most = rate->each * (faults() - since);
    HOLDS(grew >= rate->each * 20LL && grew <= most, grew, most);
    double bound = rate->ratio ? 2 : 1e3 * (double)grew / (double)nsec;
    HOLDS(second.rate > 0 && second.rate <= bound * 1.00001, (long long)(second.rate * 1000),
          (long long)(bound * 1000));
    char what[64];
    snprintf(what, sizeof what, "%s at instruction %d", rate->name, where);
    fail_if_wrong(what);
}

/* Places in a call that makes an event set: fewer the further in, since it has many thousands. */
static int after(int where)
{
    return where + (where < 32 ? 1 : apart * (where / 8));
}

static void rates_stepped(void **state)
{
    (void)state;
    begin();
    step_with(trap);
    for (rate = rates; rate < rates + N_RATES; rate++) {
        bool came = true;
        began = faults();
        ask_in_program();
        refusals = 0;
        int next = apart * (rate == rates || rate->ask == ask_epc ? 1 : 5);
        for (int where = 4 + (int)(rate - rates) % next; came; where += next) {
            came = interrupt(ask_in_program, ask_in_handler, where);
            check_goes_on(where);
        }
        assert_true(refusals > 0);
        assert_int_equal(PAPI_rate_stop(), PAPI_OK);
    }
}

/* The call that begins to count is one of a program; the handler's comes before it, into it, or after it. */
static void first_calls_stepped(void **state)
{
    (void)state;
    begin();
    step_with(trap);
    for (rate = rates; rate < rates + N_RATES; rate += 2) {
        bool came = true;
        ask_in_program();
        for (int where = 4 + (int)(rate - rates); came; where = after(where)) {
            assert_int_equal(PAPI_rate_stop(), PAPI_OK);
            began = faults();
            came = interrupt(ask_in_program, ask_in_handler, where);
            check_goes_on(where);
        }
        assert_int_equal(PAPI_rate_stop(), PAPI_OK);
    }
}

static void counters_stepped(void **state)
{
    static void (*const programs[])(void) = {read_counters, accum_counters, stop_and_start_counters};
    static void (*const handlers[])(void) = {read_counters_in_handler, accum_counters_in_handler};
    (void)state;
    begin();
    step_with(trap);
    for (int p = 0; p < 3; p++) {
        bool came = true;
        for (int where = 4; came; where = after(where)) {
            begin_counters();
            make_faults(10);
            came = interrupt(programs[p], handlers[where % 2], where);
            fail_if_wrong("counters");
            check_sums("counters", p < 2 && !came);
        }
    }
}

/* ---- calls that are left */

static sigjmp_buf out;

static void jump_out(void)
{
    siglongjmp(out, 1);
}

/* Refused, and then they begin anew; or nothing was left. */
static void check_usable(int where)
{
    struct figures f;
    int code = rate->ask(&f);
    HOLDS(code == PAPI_OK || code == PAPI_ECNFLCT, code, PAPI_ECNFLCT);
    if (code == PAPI_ECNFLCT) {
        refusals++;
        HOLDS(strstr(PAPI_strerror(code), "PAPI_rate_stop") != NULL, 0, 1);
        IS(PAPI_rate_stop(), PAPI_ECNFLCT);
        began = faults();
        ask_in_program();
    }
    check_goes_on(where);
}

static void calls_that_are_left(void **state)
{
    (void)state;
    begin();
    step_with(trap);
    rate = rates;
    ask_in_program();
    for (volatile int where = 4; where < 300; where++) {
        at = 0;
        change_at = where;
        change = jump_out;
        if (sigsetjmp(out, 1) == 0)
            step_through(ask_in_program);
        check_usable(where);
    }
    assert_true(refusals > 0);
}

#endif

static int end(void **state)
{
    unsetenv("PAPI_CSV_EVENT_FILE");
    return folder_remove(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_create, end)

int main(int argc, char **argv)
{
    apart = step_apart(argc, argv, apart);
    const struct CMUnitTest tests[] = {
        TEST(rates_under_a_timer), TEST(counters_under_a_timer),
#ifdef STEPPING
        TEST(rates_stepped),       TEST(first_calls_stepped),
        TEST(counters_stepped),    TEST(calls_that_are_left),
#endif
    };
    return TEST_RUN(tests);
}
