/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The classic interface: what each call does in which order, with presets that stand for software
 * events, so that it counts on every machine: operations and instructions are page faults, cycles
 * nanoseconds of CPU time.
 */
#include "testing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int fresh(void **state)
{
    (void)state;
    PAPI_shutdown();
    return 0;
}

static void number_of_counters(void **state)
{
    int n;
    (void)state;
    n = PAPI_num_counters();
    CHECK(n >= 0);
    EQUAL(PAPI_is_initialized(), PAPI_HIGH_LEVEL_INITED);
    EQUAL(n, PAPI_num_hwctrs());
}

/* ---- start, read, accum, stop */

static void start_read_accum_stop(void **state)
{
    long long values[2] = {-1, -1};
    int codes[2];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    codes[0] = test_code_of(FAULTS);
    codes[1] = PAPI_TOT_CYC;
    test_touch_pages(1);
    OK(PAPI_start_counters(codes, 2));
    test_touch_pages(100);
    OK(PAPI_read_counters(values, 2));
    COUNTED(values[0], 100);
    CHECK(values[1] > 0);
    test_touch_pages(100);
    OK(PAPI_accum_counters(values, 2)); /* the read began at zero again */
    COUNTED(values[0], 200);
    values[0] = -100;
    test_touch_pages(100);
    OK(PAPI_accum_counters(values, 2));
    COUNTED(values[0], 0);
    test_touch_pages(30);
    OK(PAPI_stop_counters(values, 2)); /* since the last read or accum */
    COUNTED(values[0], 30);
    CODE(PAPI_stop_counters(values, 2), PAPI_ENOTRUN);
    CODE(PAPI_read_counters(values, 2), PAPI_ENOTRUN);
    CODE(PAPI_accum_counters(values, 2), PAPI_ENOTRUN);
    EQUAL(values[0] >= 30, 1);
}

static void starting_again(void **state)
{
    long long values[2] = {-1, -1};
    int codes[2];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    codes[0] = test_code_of(FAULTS);
    codes[1] = test_code_of(CLOCK);
    OK(PAPI_start_counters(codes, 2));
    test_touch_pages(50);
    CODE(PAPI_start_counters(codes, 1), PAPI_EISRUN);
    OK(PAPI_stop_counters(values, 2)); /* unharmed by the refused call */
    CHECK(values[0] >= 50);
    OK(PAPI_start_counters(codes, 1));
    CODE(PAPI_read_counters(values, 2), PAPI_EINVAL);
    test_touch_pages(20);
    OK(PAPI_stop_counters(values, 1));
    COUNTED(values[0], 20);
}

/* A preset that this machine does not count, and the code; 0: it counts them all. Not one that it could count
 * with more counters: there the reason depends on what is counted with it. */
static int missing_preset(int *error)
{
    for (int code = PAPI_PRESET_MASK; code != (int)PAPI_END; code++) {
        *error = PAPI_query_event(code);
        if (*error != PAPI_OK && *error != PAPI_ECNFLCT)
            return code;
    }
    return 0;
}

/* A start that fails leaves nothing behind and keeps the reason. */
static void failed_starts(void **state)
{
    int codes[3], before, error;
    long long value = -1;
    char reason[PAPI_HUGE_STR_LEN];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    codes[0] = test_code_of(FAULTS);
    codes[1] = test_code_of(CLOCK);
    codes[2] = missing_preset(&error);
    if (codes[2] == 0)
        SKIP("this machine counts every preset");
    snprintf(reason, sizeof reason, "%s", PAPI_strerror(error));
    OK(PAPI_start_counters(codes, 1));
    OK(PAPI_stop_counters(&value, 1));
    before = test_open_descriptors();
    for (int i = 0; i < 100; i++) {
        CODE(PAPI_start_counters(codes, 3), error);
        EQUAL(strcmp(PAPI_strerror(error), reason), 0);
    }
    EQUAL(test_open_descriptors(), before);
    CODE(PAPI_stop_counters(&value, 1), PAPI_ENOTRUN);
    OK(PAPI_start_counters(codes, 2));
    OK(PAPI_stop_counters((long long[2]){0, 0}, 2));
}

static void many_rounds(void **state)
{
    long long values[2];
    float rtime, ptime, rate;
    int codes[2], before = 0;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    codes[0] = test_code_of(FAULTS);
    codes[1] = test_code_of(CLOCK);
    for (int i = 0; i < 300; i++) {
        OK(PAPI_start_counters(codes, 2));
        OK(PAPI_stop_counters(values, 2));
        OK(PAPI_flops(&rtime, &ptime, values, &rate));
        OK(PAPI_stop_counters(NULL, 0));
        if (i == 0)
            before = test_open_descriptors();
    }
    EQUAL(test_open_descriptors(), before);
}

static void beside_low_level_sets(void **state)
{
    long long low = -1, high = -1;
    int code, es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    code = test_code_of(FAULTS);
    es = test_set(FAULTS, NULL);
    OK(PAPI_start(es));
    OK(PAPI_start_counters(&code, 1));
    test_touch_pages(60);
    OK(PAPI_stop_counters(&high, 1));
    OK(PAPI_stop(es, &low));
    COUNTED(high, 60);
    COUNTED(low, 60);
    test_drop(es);
}

/* ---- flips, flops, ipc */

typedef int rate_function(float *, float *, long long *, float *);

struct result {
    float rtime, ptime, rate;
    long long count;
};

static struct result call(rate_function *function)
{
    struct result r = {-1, -1, -1, -1};
    OK(function(&r.rtime, &r.ptime, &r.count, &r.rate));
    return r;
}

static void check_first(rate_function *function)
{
    struct result r = call(function);
    CHECK(r.rtime == 0);
    CHECK(r.ptime == 0);
    CHECK(r.rate == 0);
    EQUAL(r.count, 0);
}

static void check_totals(rate_function *function)
{
    long long real = PAPI_get_real_nsec(), virt = PAPI_get_virt_nsec();
    struct result a, b;
    check_first(function);
    test_touch_pages(200);
    test_burn(3000000);
    a = call(function);
    COUNTED(a.count, 200);
    CHECK(a.rate > 0);
    CHECK(a.ptime >= 0.0029f && a.rtime >= a.ptime * 0.99f);
    test_touch_pages(100);
    test_sleep(10);
    b = call(function); /* totals continue, the rate starts again */
    COUNTED(b.count, 300);
    CHECK(b.rtime >= a.rtime + 0.0019f && b.ptime >= a.ptime);
    CHECK(b.rtime <= (float)((double)(PAPI_get_real_nsec() - real) * 1e-9) * 1.0001f);
    CHECK(b.ptime <= (float)((double)(PAPI_get_virt_nsec() - virt) * 1e-9) * 1.0001f);
}

/* The rate is that since the previous call: none where nothing happened since. */
static void check_rate(rate_function *function, double per_nsec)
{
    struct result before = call(function), after;
    long long start = PAPI_get_virt_nsec(), spent, n;
    test_touch_pages(300);
    spent = PAPI_get_virt_nsec() - start;
    after = call(function);
    n = after.count - before.count;
    COUNTED(n, 300);
    CHECK(after.rate <= (double)n / (double)spent * per_nsec * 1.001);
    CHECK(after.rate >= (double)n / (double)spent * per_nsec * 0.2); /* the calls themselves take time */
    before = call(function);
    test_burn(2000000);
    after = call(function);
    CHECK(after.rate <= (double)test_slack() / 2e6 * per_nsec);
    CHECK(after.rate >= 0);
    COUNTED(after.count, before.count);
    OK(PAPI_stop_counters(NULL, 0));
}

static void flips(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    check_totals(PAPI_flips);
    check_rate(PAPI_flips, 1e3);
}

static void flops(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    check_totals(PAPI_flops);
    check_rate(PAPI_flops, 1e3);
}

static void ipc(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    check_totals(PAPI_ipc);
    check_rate(PAPI_ipc, 1); /* a cycle is a nanosecond */
}

/* As old programs do: each gives zeroes first, and then what happened since, whatever the others do. */
static void old_rates_count_together(void **state)
{
    static rate_function *const all[3] = {PAPI_flops, PAPI_ipc, PAPI_flips};
    long long values[2] = {0};
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int first = 0; first < 3; first++) {
        for (int i = 0; i < 3; i++)
            check_first(all[(first + i) % 3]);
        test_touch_pages(10);
        for (int i = 0; i < 3; i++)
            CHECK(call(all[i]).count >= 10);
        test_touch_pages(10);
        for (int i = 0; i < 3; i++)
            CHECK(call(all[i]).count >= 20);
        OK(PAPI_stop_counters(values, 1));
        CHECK(values[0] >= 20);
        CODE(PAPI_rate_stop(), PAPI_ENOTRUN);
    }
}

static void one_at_a_time(void **state)
{
    static rate_function *const all[3] = {PAPI_flips, PAPI_flops, PAPI_ipc};
    struct result r;
    long long values[2];
    int code;

    (void)state;
    NEED_SOFTWARE_EVENTS();
    code = test_code_of(FAULTS);
    for (int i = 0; i < 3; i++) {
        check_first(all[i]);
        test_touch_pages(10);
        CODE(PAPI_flops_rate(code, &r.rtime, &r.ptime, &r.count, &r.rate), PAPI_EINVAL);
        CODE(PAPI_start_counters(&code, 1), PAPI_EISRUN);
        CODE(PAPI_read_counters(values, 2), PAPI_EINVAL);
        CODE(PAPI_accum_counters(values, 2), PAPI_EINVAL);
        r = call(all[i]); /* the refused calls took no counts */
        CHECK(r.count >= 10);
        OK(PAPI_stop_counters(NULL, 0));
        CODE(PAPI_stop_counters(NULL, 0), PAPI_ENOTRUN);
    }
    OK(PAPI_start_counters(&code, 1));
    for (int i = 0; i < 3; i++)
        CODE(all[i](&r.rtime, &r.ptime, &r.count, &r.rate), PAPI_EINVAL);
    OK(PAPI_stop_counters(values, 1));
    check_first(PAPI_flops); /* begins at zero again */
}

/* ---- flips_rate, flops_rate, epc */

static int flips_of_faults(float *rtime, float *ptime, long long *count, float *rate)
{
    return PAPI_flips_rate(test_code_of(FAULTS), rtime, ptime, count, rate);
}

static int flops_of_preset(float *rtime, float *ptime, long long *count, float *rate)
{
    return PAPI_flops_rate(PAPI_FP_OPS, rtime, ptime, count, rate);
}

static int epc_of_default(float *rtime, float *ptime, long long *count, float *rate)
{
    static long long real, virt; /* before and after the first call, which starts the counters */
    long long ref = -1, core = -1, now_real = PAPI_get_real_nsec(), now_virt = PAPI_get_virt_nsec();
    int error = PAPI_epc(0, rtime, ptime, &ref, &core, count, rate);
    if (error == PAPI_OK && *ptime == 0) {
        EQUAL(core, 0);
        real = now_real;
        virt = PAPI_get_virt_nsec();
    } else if (error == PAPI_OK) {
        /* A cycle is a nanosecond here. The kernel's clock of a thread also runs while a hypervisor
         * holds the processor, which is no processor time: at most all of the time is. */
        CHECK(core > (now_virt - virt) / 2);
        CHECK((double)core <= (double)(PAPI_get_real_nsec() - real) * 1.001);
    }
    if (error == PAPI_OK) /* Not in the table of these tests: the processor's, where it has one. */
        EQUAL(ref > 0, *ptime > 0 && PAPI_query_event(PAPI_REF_CYC) == PAPI_OK);
    return error;
}

static void rates_of_events(void **state)
{
    static rate_function *const all[3] = {flips_of_faults, flops_of_preset, epc_of_default};

    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int i = 0; i < 3; i++) {
        check_totals(all[i]);
        check_rate(all[i], all[i] == epc_of_default ? 1 : 1e3); /* stops */
        CODE(PAPI_rate_stop(), PAPI_ENOTRUN);
        check_first(all[i]);
        OK(PAPI_rate_stop());
    }
}

static void rates_until_stopped(void **state)
{
    static rate_function *const all[5] = {flips_of_faults, flops_of_preset, epc_of_default, PAPI_flops,
                                          PAPI_ipc};
    struct result r;
    int other;

    (void)state;
    NEED_SOFTWARE_EVENTS();
    other = test_code_of(CLOCK);
    for (int i = 0; i < 5; i++) {
        check_first(all[i]);
        test_touch_pages(50);
        for (int j = 0; j < 5; j++)
            if (j != i && (i < 3 || j < 3)) /* PAPI_flops and PAPI_ipc count together */
                CODE(all[j](&r.rtime, &r.ptime, &r.count, &r.rate), PAPI_EINVAL);
        CHECK(strstr(PAPI_strerror(PAPI_EINVAL), "PAPI_rate_stop") != NULL);
        if (all[i] == flips_of_faults)
            CODE(PAPI_flips_rate(other, &r.rtime, &r.ptime, &r.count, &r.rate), PAPI_EINVAL);
        if (all[i] == epc_of_default) {
            long long ref, core;
            CODE(PAPI_epc(other, &r.rtime, &r.ptime, &ref, &core, &r.count, &r.rate), PAPI_EINVAL);
        }
        COUNTED(call(all[i]).count, 50);
        OK(PAPI_rate_stop());
        CODE(PAPI_rate_stop(), PAPI_ENOTRUN);
    }
}

static void epc_of_cycles(void **state)
{
    long long ref = -1, core = -1, evt = -1;
    float rtime, ptime, epc;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    OK(PAPI_epc(PAPI_TOT_CYC, &rtime, &ptime, &ref, &core, &evt, &epc));
    test_burn(1000000);
    OK(PAPI_epc(PAPI_TOT_CYC, &rtime, &ptime, &ref, &core, &evt, &epc));
    EQUAL(core, evt);
    CHECK(evt >= 900000 &&
          epc == 1); /* of the million: the two clocks differ where the thread is interrupted */
    OK(PAPI_rate_stop());
}

static void rates_of_missing_events(void **state)
{
    char reason[PAPI_HUGE_STR_LEN];
    struct result r = {-1, -1, -1, -1};
    int error, before, missing;
    (void)state;
    test_init();
    missing = missing_preset(&error);
    if (missing == 0)
        SKIP("this machine counts every preset");
    snprintf(reason, sizeof reason, "%s", PAPI_strerror(error));
    before = test_open_descriptors();
    CODE(PAPI_flops_rate(missing, &r.rtime, &r.ptime, &r.count, &r.rate), error);
    EQUAL(strcmp(PAPI_strerror(error), reason), 0);
    EQUAL(r.count, -1);
    EQUAL(test_open_descriptors(), before);
    CODE(PAPI_rate_stop(), PAPI_ENOTRUN);
}

static void stopping_rates_gives_counts(void **state)
{
    long long values[3] = {-1, -1, -1};
    (void)state;
    NEED_SOFTWARE_EVENTS();
    check_first(PAPI_flops);
    test_touch_pages(100);
    OK(PAPI_stop_counters(values, 2));
    CHECK(values[0] >= 100 && values[1] > 0);
    EQUAL(values[2], -1);
    check_first(PAPI_flops);
    values[1] = -1;
    OK(PAPI_stop_counters(values, 1));
    EQUAL(values[1], -1);
}

static void nothing_but_the_needed_event(void *argument)
{
    struct result r;
    int cycles;
    (void)argument;
    test_init();
    cycles = PAPI_query_event(PAPI_TOT_CYC);
    check_first(PAPI_flops);
    test_touch_pages(100);
    r = call(PAPI_flops);
    COUNTED(r.count, 100);
    OK(PAPI_stop_counters(NULL, 0));
    if (cycles != PAPI_OK) { /* no instructions per cycle without cycles */
        CODE(PAPI_ipc(&r.rtime, &r.ptime, &r.count, &r.rate), cycles);
        CODE(PAPI_stop_counters(NULL, 0), PAPI_ENOTRUN);
    }
    PAPI_shutdown();
}

static void flops_without_cycles(void **state)
{
    static const char table[] = "CPU,perf\nPRESET,PAPI_FP_OPS,NOT_DERIVED,perf::PAGE-FAULTS\n"
                                "PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::PAGE-FAULTS\n";

    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_presets(table, sizeof table - 1);
    test_in_child(nothing_but_the_needed_event, NULL);
    test_software_presets();
}

/* ---- threads: each has counters of its own */

/* OTHERS: more pages than a thread touches beside its work (AddressSanitizer: one in eight), and fewer than
 * the work of any other thread. */
enum { OTHERS = 1500, COUNTERS = 4 };

static void *count_alone(void *argument)
{
    int n = *(int *)argument, code = test_code_of(FAULTS);
    long long value = -1;
    struct result r;
    CODE(PAPI_read_counters(&value, 1), PAPI_ENOTRUN);
    OK(PAPI_start_counters(&code, 1));
    test_touch_pages(n);
    OK(PAPI_stop_counters(&value, 1));
    CHECK(value >= n && value < n + n / 4 + OTHERS + test_slack());
    check_first(PAPI_flops);
    test_touch_pages(n);
    r = call(PAPI_flops);
    CHECK(r.count >= n && r.count < n + n / 4 + OTHERS + test_slack());
    return NULL; /* running: the end of the thread frees it */
}

static void each_thread_its_own(void **state)
{
    pthread_t threads[COUNTERS];
    int n[COUNTERS], code, before = 0;
    long long value = -1;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    code = test_code_of(FAULTS);
    for (int round = 0; round < 2; round++) {
        OK(PAPI_start_counters(&code, 1));
        for (int i = 0; i < COUNTERS; i++) {
            n[i] = OTHERS * (i + 1);
            EQUAL(pthread_create(&threads[i], NULL, count_alone, &n[i]), 0);
        }
        for (int i = 0; i < COUNTERS; i++)
            pthread_join(threads[i], NULL);
        OK(PAPI_stop_counters(&value, 1));
        CHECK(value < OTHERS + 4 * test_slack()); /* making threads touches some pages, too */
        if (round == 0)
            before = test_open_descriptors();
    }
    EQUAL(test_open_descriptors(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(number_of_counters, fresh),
        cmocka_unit_test_setup(start_read_accum_stop, fresh),
        cmocka_unit_test_setup(starting_again, fresh),
        cmocka_unit_test_setup(failed_starts, fresh),
        cmocka_unit_test_setup(many_rounds, fresh),
        cmocka_unit_test_setup(beside_low_level_sets, fresh),
        cmocka_unit_test_setup(flips, fresh),
        cmocka_unit_test_setup(flops, fresh),
        cmocka_unit_test_setup(ipc, fresh),
        cmocka_unit_test_setup(old_rates_count_together, fresh),
        cmocka_unit_test_setup(one_at_a_time, fresh),
        cmocka_unit_test_setup(stopping_rates_gives_counts, fresh),
        cmocka_unit_test_setup(rates_of_events, fresh),
        cmocka_unit_test_setup(rates_until_stopped, fresh),
        cmocka_unit_test_setup(epc_of_cycles, fresh),
        cmocka_unit_test_setup(rates_of_missing_events, fresh),
        cmocka_unit_test_setup(flops_without_cycles, fresh),
        cmocka_unit_test_setup(each_thread_its_own, fresh),
    };

    test_software_presets();
    return TEST_RUN(tests);
}
