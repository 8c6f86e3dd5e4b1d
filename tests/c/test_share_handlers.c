/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shares of a pipeline's slots in a program that a timer interrupts, and at every instruction of its calls.
 * Slots are page faults here (made_slots.h): all in user mode, of which one in four is retired, whatever the
 * handler reads, stops and starts. Counts of two moments would give another share.
 */
#include "../interrupted.h"
#include "../stepping.h"
#include "made_slots.h"
#include "testing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define RETIRING "topdown:::TOPDOWN_RETIRING_PERC"
#define BAD_SPEC "topdown:::TOPDOWN_BAD_SPEC_PERC"
#define FE_BOUND "topdown:::TOPDOWN_FE_BOUND_PERC"
#define BE_BOUND "topdown:::TOPDOWN_BE_BOUND_PERC"

enum { N = 4, RUN_MS = 250 };

static const double shares[N] = {25, 50, 0, 25};
static int used, own;
static volatile char *page;
static volatile int counted, stops;

static void make_faults(int n)
{
    for (int i = 0; i < n; i++) {
        madvise((void *)(uintptr_t)page, 1, MADV_DONTNEED);
        page[0] = 1;
    }
}

/* None of them is a number where nothing was counted. */
static void check_shares(const long long value[N], int line)
{
    double share[N];
    memcpy(share, value, sizeof share);
    bool none = isnan(share[0]);
    for (int i = 0; i < N; i++)
        if (none ? !isnan(share[i]) : share[i] != shares[i])
            wrong(line, isnan(share[i]) ? -1 : (long long)(share[i] * 1000), (long long)(shares[i] * 1000));
    counted += !none;
}

static void read_used(void)
{
    long long value[N];
    IS(PAPI_read(used, value), PAPI_OK);
    check_shares(value, __LINE__);
}

static void use_own(void)
{
    long long value[N];
    IS(PAPI_start(own), PAPI_OK);
    make_faults(1);
    IS(PAPI_read(own, value), PAPI_OK);
    check_shares(value, __LINE__);
    IS(PAPI_stop(own, value), PAPI_OK);
    check_shares(value, __LINE__);
}

static void reset_used(void)
{
    int code = PAPI_reset(used);
    HOLDS(code == PAPI_OK || code == PAPI_ECNFLCT, code, PAPI_ECNFLCT);
    read_used();
}

static void accumulate(void)
{
    long long value[N] = {0};
    int code = PAPI_accum(used, value);
    HOLDS(code == PAPI_ECMP || code == PAPI_ECNFLCT, code, PAPI_ECMP);
}

/* A set that is being started or stopped is not running. */
static void stop_and_start(void)
{
    long long value[N];
    int code = PAPI_stop(used, value);
    HOLDS(code == PAPI_OK || code == PAPI_ENOTRUN, code, PAPI_OK);
    if (code == PAPI_OK)
        check_shares(value, __LINE__);
    stops += code == PAPI_OK;
    code = PAPI_start(used);
    HOLDS(code == PAPI_OK || code == PAPI_EISRUN || code == PAPI_ECNFLCT, code, PAPI_OK);
    read_used();
}

/* ---- setting up */

static int set_of_shares(void)
{
    return test_set(RETIRING, BAD_SPEC, FE_BOUND, BE_BOUND, NULL);
}

static int begin(void **state)
{
    (void)state;
    PAPI_shutdown();
    if (made_slots_skylake() != 0)
        return -1;
    test_init();
    page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    failed_at = signals = counted = stops = 0;
    return page != MAP_FAILED ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    PAPI_shutdown();
    return made_slots_end();
}

/* Faults in the kernel count, too. */
static void make_sets(void)
{
    PAPI_option_t option = {0};
    NEED_SOFTWARE_EVENTS();
    used = test_set(FAULTS, NULL);
    option.domain.eventset = used;
    option.domain.domain = PAPI_DOM_ALL;
    if (PAPI_set_opt(PAPI_DOMAIN, &option) != PAPI_OK)
        SKIP("what happens in the kernel may not be counted here");
    test_drop(used);
    used = set_of_shares();
    own = set_of_shares();
    OK(PAPI_start(used));
}

static void fail_if_wrong(const char *program, const char *handler, int where)
{
    if (failed_at != 0)
        fail_msg("%s, with %s at %d, line %d: %lld where %lld was expected", program, handler, where,
                 failed_at, failed_value, failed_bound);
}

/* ---- the calls */

struct call {
    const char *name;
    void (*call)(void);
};

static const struct call programs[] = {
    {"read", read_used}, {"reset", reset_used}, {"accum", accumulate}, {"stop and start", stop_and_start}};
static const struct call handlers[] = {{"read", read_used},
                                       {"another set", use_own},
                                       {"reset", reset_used},
                                       {"accum", accumulate},
                                       {"stop and start", stop_and_start}};
enum { PROGRAMS = sizeof programs / sizeof *programs, HANDLERS = sizeof handlers / sizeof *handlers };

static void under_a_timer(void **state)
{
    (void)state;
    make_sets();
    for (int p = 0; p < PROGRAMS; p++)
        for (int h = 0; h < HANDLERS; h++) {
            long long until = PAPI_get_real_usec() + RUN_MS * 1000 / HANDLERS;
            in_handler = handlers[h].call;
            every(100);
            while (failed_at == 0 && PAPI_get_real_usec() < until) {
                make_faults(3);
                programs[p].call();
            }
            every(0);
            fail_if_wrong(programs[p].name, handlers[h].name, signals);
        }
    CHECK(signals > 0 && counted > 0 && stops > 0);
}

static int apart = 5; /* instructions; 1: with an argument, which takes five times as long */

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

/* Both calls' values are checked, and those after them. True if the handler came. */
static bool interrupt(const struct call *program, const struct call *handler, int where)
{
    at = 0;
    change_at = where;
    change = handler->call;
    step_through(program->call);
    make_faults(2);
    read_used();
    fail_if_wrong(program->name, handler->name, where);
    return at >= where;
}

/* Others for each handler. */
static void at_every_instruction(void **state)
{
    (void)state;
    make_sets();
    step_with(trap);
    for (int p = 0; p < PROGRAMS; p++)
        for (int h = 0; h < HANDLERS; h++)
            for (int where = 4 + h; interrupt(&programs[p], &handlers[h], where);)
                where += apart * (1 + where / 32);
    CHECK(counted > 0 && stops > 0);
}

#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(int argc, char **argv)
{
    apart = step_apart(argc, argv, apart);
    const struct CMUnitTest tests[] = {
        TEST(under_a_timer),
#ifdef STEPPING
        TEST(at_every_instruction),
#endif
    };
    return TEST_RUN(tests);
}
