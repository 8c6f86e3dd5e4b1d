/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cycles as an estimate, in a program that runs with papi_emulate --cycles=estimate.
 */
#include "measure.h"
#include "operations_loop.h"

#include <string.h>

static const char *const both[] = {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_DP_OPS", NULL};

static int code_of(const char *name)
{
    int code;
    OK(PAPI_event_name_to_code(name, &code));
    return code;
}

/* Estimated cycles say that they are an estimate. */
static void it_is_called_an_estimate(void **state)
{
    PAPI_event_info_t info;
    (void)state;
    need_emulator();
    OK(PAPI_get_event_info(PAPI_TOT_CYC, &info));
    EQUAL(strcmp(info.name[0], "emu::ESTIMATED_CYCLES"), 0);
    CHECK(strncmp(info.note, "An estimate", 11) == 0);
    OK(PAPI_get_event_info(code_of("emu::ESTIMATED_CYCLES"), &info));
    CHECK(strncmp(info.long_descr, "Estimated, not counted", 22) == 0);
    CODE(PAPI_query_event(PAPI_RES_STL), PAPI_ENOEVNT);
}

/* A few instructions are between the readings of both. */
static void same(const long long *values)
{
    long long apart = values[0] - values[1];
    CHECK(apart >= -8 && apart <= 8);
}

static void one_for_each_instruction(void **state)
{
    int es = measure_set(both);
    long long values[3];
    (void)state;
    OK(PAPI_start(es));
    operations_loop(1000);
    OK(PAPI_read(es, values));
    same(values);
    EQUAL(values[2], 3000);
    OK(PAPI_reset(es));
    operations_loop(1000);
    OK(PAPI_stop(es, values));
    same(values);
    CHECK(values[1] > 6000 && values[1] < 6500); /* six instructions a turn */
    test_drop(es);
}

static int calls[3], limits;

static void note(int es, void *address, long long vector, void *context)
{
    (void)es, (void)context;
    for (int i = 0; i < 3; i++)
        calls[i] += (int)(vector >> i & 1);
    limits += (const char *)address >= operation_0 && (const char *)address < operation_end;
}

/* Each has limits of its own, though one counter stands for both; what a handler executes counts, too. */
static void overflows_beside_those_of_instructions(void **state)
{
    int es = measure_set(both);
    long long values[3];
    (void)state;
    OK(PAPI_overflow(es, PAPI_TOT_INS, 30000, 0, note));
    OK(PAPI_overflow(es, PAPI_TOT_CYC, 200000, 0, note));
    OK(PAPI_overflow(es, PAPI_DP_OPS, 100000, 0, note));
    OK(PAPI_start(es));
    operations_loop(1000000);
    OK(PAPI_stop(es, values));
    printf("%lld instructions and cycles: %d and %d calls\n", values[0], calls[0], calls[1]);
    same(values);
    EQUAL(calls[0], values[0] / 30000);
    EQUAL(calls[1], values[1] / 200000);
    EQUAL(calls[2], 30);
    CHECK(limits > (calls[0] + calls[1] + calls[2]) * 9 / 10);
    /* Alone, and by a timer. */
    OK(PAPI_overflow(es, PAPI_TOT_INS, 0, 0, note));
    memset(calls, 0, sizeof calls);
    OK(PAPI_start(es));
    operations_loop(1000000);
    OK(PAPI_stop(es, values));
    EQUAL(calls[0], 0);
    EQUAL(calls[1], values[1] / 200000);
    test_drop(es);
}

static void profiles(void **state)
{
    enum { BUCKETS = 64 };
    int es = measure_set((const char *const[]){"PAPI_TOT_CYC", NULL});
    static uint32_t bucket[BUCKETS];
    long long value, sum = 0;
    (void)state;
    OK(PAPI_profil(bucket, sizeof bucket, (void *)(uintptr_t)operation_0, 65536, es, PAPI_TOT_CYC, 6007,
                   PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32));
    OK(PAPI_start(es));
    operations_loop(100000);
    OK(PAPI_stop(es, &value));
    for (int i = 0; i < BUCKETS; i++)
        sum += bucket[i];
    printf("%lld samples of %lld\n", sum, value / 6007);
    CHECK(sum > 0 && sum <= value / 6007 && sum >= 600000 / 6007 * 8 / 10);
    test_drop(es);
}

static void a_timer_looks(void **state)
{
    int es = measure_set((const char *const[]){"PAPI_TOT_CYC", NULL});
    long long value;
    (void)state;
    memset(calls, 0, sizeof calls);
    OK(PAPI_overflow(es, PAPI_TOT_CYC, 100000, PAPI_OVERFLOW_FORCE_SW, note));
    OK(PAPI_start(es));
    operations_loop(20000000);
    OK(PAPI_stop(es, &value));
    printf("by a timer: %d calls\n", calls[0]);
    CHECK(calls[0] > 1 && calls[0] <= value / 100000);
    test_drop(es);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_called_an_estimate),
        cmocka_unit_test(one_for_each_instruction),
        cmocka_unit_test(overflows_beside_those_of_instructions),
        cmocka_unit_test(profiles),
        cmocka_unit_test(a_timer_looks),
    };
    return TEST_RUN(tests);
}
