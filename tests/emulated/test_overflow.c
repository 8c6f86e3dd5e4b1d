/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Overflow and profiling by the emulator. The loop is at known addresses, so that the instruction of
 * each overflow is known: that of operation number k * threshold. The handler's own instructions count
 * too, but it has no floating-point operations, and those are what overflows here.
 */
#include "measure.h"
#include "operations_loop.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CALLS = 4096, NEAR = 30 /* operations from an overflow to its handler, a few turns */ };

static struct calls {
    int n, set;
    long long vector[MAX_CALLS];
    uintptr_t address[MAX_CALLS];
} calls;

static void note(int es, void *address, long long vector, void *context)
{
    if (calls.n < MAX_CALLS) {
        calls.vector[calls.n] = vector;
        calls.address[calls.n] = (uintptr_t)address;
    }
    calls.n += context != NULL;
    calls.set = es;
}

static uintptr_t place(long long operation) /* counted from 1 */
{
    const char *const places[] = {operation_0, operation_1, operation_2};
    return (uintptr_t)places[(operation - 1) % OPERATIONS];
}

static int operations_set(void)
{
    return measure_set((const char *const[]){"PAPI_DP_OPS", NULL});
}

static int dp_ops(void)
{
    return test_code_of("PAPI_DP_OPS");
}

static long long run(int es, long turns)
{
    long long values[MAX_MEASURED];
    memset(&calls, 0, sizeof calls);
    OK(PAPI_start(es));
    operations_loop(turns);
    OK(PAPI_stop(es, values));
    return values[0];
}

static void check_places(int es, int n, long long threshold)
{
    EQUAL(calls.n, n);
    EQUAL(calls.set, es);
    for (int k = 0; k < n; k++) {
        EQUAL(calls.vector[k], 1);
        EQUAL(calls.address[k], place((k + 1) * threshold));
    }
}

/* ---- overflow */

/* 10^8 operations: 100 calls. A million is not a multiple of the three operations of a turn, so that
 * each of them has its turn. */
static void each_million_of_10_8(void **state)
{
    int es = operations_set();
    (void)state;
    OK(PAPI_overflow(es, dp_ops(), 1000000, 0, note));
    EQUAL(run(es, 33333334), 100000002);
    check_places(es, 100, 1000000);
    test_drop(es);
}

static void any_threshold(void **state)
{
    static const int thresholds[] = {1, 2, 3, 7, 64, 1000};
    int es = operations_set();
    (void)state;
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        OK(PAPI_overflow(es, dp_ops(), thresholds[i], PAPI_OVERFLOW_HARDWARE, note));
        EQUAL(run(es, 1000), 3000);
        check_places(es, 3000 / thresholds[i], thresholds[i]);
    }
    test_drop(es);
}

static int is_in_loop(uintptr_t address)
{
    return address >= (uintptr_t)operation_0 && address < (uintptr_t)operation_end;
}

/* The handler's branches count too: there are more calls than the loop alone would make. */
static void branches_overflow_where_they_are(void **state)
{
    int es = measure_set((const char *const[]){"PAPI_TOT_INS", "PAPI_BR_TKN", NULL}), inside = 0;
    (void)state;
    OK(PAPI_overflow(es, test_code_of("PAPI_BR_TKN"), 1000, 0, note));
    run(es, 1000000);
    for (int i = 0; i < calls.n && i < MAX_CALLS; i++)
        if (is_in_loop(calls.address[i])) {
            EQUAL(calls.address[i], (uintptr_t)operation_branch);
            EQUAL(calls.vector[i], 1 << 1);
            inside++;
        }
    printf("taken branches: %d calls, %d in the loop\n", calls.n, inside);
    CHECK(calls.n >= 1000 && calls.n < 1200);
    CHECK(inside > calls.n * 9 / 10);
    test_drop(es);
}

/* The handler's instructions shift the next overflow, always by as many: of six thresholds in a row two
 * lead through all six instructions of the loop. */
static void instructions_overflow_where_they_are(void **state)
{
    const uintptr_t place_of[] = {(uintptr_t)operation_0,
                                  (uintptr_t)operation_1 - SIZE_OF_NOP,
                                  (uintptr_t)operation_1,
                                  (uintptr_t)operation_2,
                                  (uintptr_t)operation_branch - SIZE_OF_DECREMENT,
                                  (uintptr_t)operation_branch};
    enum { N = sizeof place_of / sizeof *place_of };
    int es = measure_set((const char *const[]){"PAPI_TOT_INS", NULL}), found[N] = {0}, all = 0, inside = 0;
    (void)state;
    for (int threshold = 10007; threshold < 10007 + N; threshold++) {
        OK(PAPI_overflow(es, test_code_of("PAPI_TOT_INS"), threshold, 0, note));
        run(es, 200000);
        CHECK(calls.n >= N * 200000 / threshold && calls.n < MAX_CALLS);
        all += calls.n;
        for (int i = 0; i < calls.n; i++) {
            inside += is_in_loop(calls.address[i]);
            for (int j = 0; j < N; j++)
                found[j] += calls.address[i] == place_of[j];
        }
    }
    for (int j = 0; j < N; j++) {
        CHECK(found[j] > 0);
        inside -= found[j];
    }
    EQUAL(inside, 0); /* no other address */
    CHECK(found[0] < all / 2);
    test_drop(es);
}

/* Additions and multiplications pass their thresholds in the same turns: two calls for one signal. */
static void two_events(void **state)
{
    int es = measure_set(
        (const char *const[]){"PAPI_SP_OPS", "PAPI_FAD_INS", "PAPI_TOT_INS", "PAPI_FML_INS", NULL});
    int found[2] = {0}, n = 2;
    (void)state;
    OK(PAPI_overflow(es, test_code_of("PAPI_FAD_INS"), 2000, 0, note));
    OK(PAPI_overflow(es, test_code_of("PAPI_FML_INS"), 1000, 0, note));
    run(es, 100000);
    EQUAL(calls.n, 200);
    for (int i = 0; i < 200; i++) {
        CHECK(calls.vector[i] == 1 << 1 || calls.vector[i] == 1 << 3);
        CHECK(calls.vector[i] != calls.vector[i ^ 1]);
        EQUAL(calls.address[i], (uintptr_t)(calls.vector[i] == 1 << 1 ? operation_2 : operation_1));
    }
    n = 1;
    OK(PAPI_get_overflow_event_index(es, 1 << 3, found, &n));
    EQUAL(n, 1);
    EQUAL(found[0], 3);
    n = 2;
    OK(PAPI_get_overflow_event_index(es, 1 << 1 | 1 << 3, found, &n));
    EQUAL(n, 2);
    EQUAL(found[0], 1);
    EQUAL(found[1], 3);
    /* Off for one of them: the other continues. */
    OK(PAPI_overflow(es, test_code_of("PAPI_FAD_INS"), 0, 0, NULL));
    run(es, 100000);
    EQUAL(calls.n, 100);
    EQUAL(calls.vector[99], 1 << 3);
    OK(PAPI_overflow(es, test_code_of("PAPI_FML_INS"), 0, 0, note));
    run(es, 100000);
    EQUAL(calls.n, 0);
    test_drop(es);
}

/* ---- what a handler may call */

static enum { READ, ACCUM, RESET, STOP } action;
static long long seen[MAX_CALLS];
static int codes;

static void act(int es, void *address, long long vector, void *context)
{
    long long sum = 0, after;
    note(es, address, vector, context);
    if (action == ACCUM)
        codes |= PAPI_accum(es, &sum);
    else if (action == STOP && calls.n == 5)
        codes |= PAPI_stop(es, &sum);
    else
        codes |= PAPI_read(es, &sum);
    seen[calls.n - 1] = sum;
    if (action == RESET)
        codes |= PAPI_reset(es) | PAPI_read(es, &after) | (after < NEAR ? 0 : 1);
}

/* The count that the handler sees is that of the overflow and of what ran until the signal came. */
static void handlers_use_the_counters(void **state)
{
    int es = operations_set();
    long long value;
    (void)state;
    OK(PAPI_overflow(es, dp_ops(), 3001, 0, act));
    for (action = READ; action <= RESET; action++) {
        value = run(es, 30010);
        EQUAL(codes, 0);
        check_places(es, 30, 3001);
        for (int k = 0; k < 30; k++) {
            long long since = action == READ ? (k + 1) * 3001LL : k == 0 ? 3001 : 3001 - NEAR;
            CHECK(seen[k] >= since && seen[k] < since + 2 * NEAR);
        }
        EQUAL(action == READ ? value == 90030 : value < NEAR, 1);
    }
    memset(&calls, 0, sizeof calls);
    OK(PAPI_start(es));
    operations_loop(30010);
    CODE(PAPI_stop(es, &value), PAPI_ENOTRUN);
    EQUAL(codes, 0);
    check_places(es, 5, 3001);
    CHECK(seen[4] >= 5 * 3001 && seen[4] < 5 * 3001 + NEAR);
    OK(PAPI_reset(es));
    action = READ;
    EQUAL(run(es, 30010), 90030); /* and it starts again */
    check_places(es, 30, 3001);
    test_drop(es);
}

static void reset_only(int es, void *address, long long vector, void *context)
{
    note(es, address, vector, context);
    codes |= PAPI_reset(es);
}

/* The handler comes in the stop too, again and again: before the counts are taken, or not at all. */
static void resets_up_to_the_stop(void **state)
{
    int es = measure_set((const char *const[]){"PAPI_TOT_INS", NULL});
    (void)state;
    codes = 0;
    for (int threshold = 900; threshold < 1100; threshold += 7) {
        OK(PAPI_overflow(es, test_code_of("PAPI_TOT_INS"), threshold, 0, reset_only));
        long long value = run(es, 100);
        CHECK(value >= 0);
    }
    EQUAL(codes, 0);
    test_drop(es);
}

/* ---- thresholds that are too small */

static void tiny_run(int es, int threshold, int wanted)
{
    long long value;
    OK(PAPI_overflow(es, test_code_of("PAPI_TOT_INS"), threshold, 0, note));
    memset(&calls, 0, sizeof calls);
    OK(PAPI_start(es));
    operations_loop(20000);
    CODE(PAPI_stop(es, &value), wanted);
    CHECK(value > 0);
    CHECK(calls.n > 0 && (long long)calls.n <= value / threshold);
}

/* Fewer instructions than a signal's handling has: counting ends, and the program gets on. */
static void small_thresholds_end(void **state)
{
    int es = measure_set((const char *const[]){"PAPI_TOT_INS", NULL});
    (void)state;
    tiny_run(es, 1, PAPI_ECLOST);
    tiny_run(es, 5, PAPI_ECLOST);
    tiny_run(es, 50, PAPI_ECLOST);
    CHECK(strstr(PAPI_strerror(PAPI_ECLOST), "threshold") != NULL);
    tiny_run(es, 1000, PAPI_OK);
    test_drop(es);
}

/* A handler slower than the threshold: what it does is not counted from the second call on. */
static void slow_handler(int es, void *address, long long vector, void *context)
{
    note(es, address, vector, context);
    operations_loop(1000);
}

static void slow_handlers_are_not_counted(void **state)
{
    int es = operations_set();
    (void)state;
    OK(PAPI_overflow(es, dp_ops(), 2999, 0, slow_handler));
    EQUAL(run(es, 10000), 30000 + 3000);
    EQUAL(calls.n, (30000 + 3000) / 2999);
    test_drop(es);
}

/* ---- by software */

/* A timer looks: fewer calls than thresholds, and derived events may have them. */
static void by_a_timer(void **state)
{
    int es = measure_set((const char *const[]){"PAPI_DP_OPS", "PAPI_LST_INS", NULL});
    static uint64_t weighted;
    long long values[2];
    (void)state;
    OK(PAPI_overflow(es, dp_ops(), 30000, PAPI_OVERFLOW_FORCE_SW, note));
    OK(PAPI_overflow(es, test_code_of("PAPI_LST_INS"), 1000000000, PAPI_OVERFLOW_FORCE_SW, note));
    EQUAL(run(es, 100000000), 300000000);
    printf("by a timer: %d calls for 10000 thresholds\n", calls.n);
    CHECK(calls.n > 1 && calls.n <= 10000);
    EQUAL(calls.vector[0], 1);
    OK(PAPI_overflow(es, dp_ops(), 0, 0, NULL));
    OK(PAPI_profil(&weighted, sizeof weighted, NULL, 2, es, dp_ops(), 30,
                   PAPI_PROFIL_BUCKET_64 | PAPI_PROFIL_WEIGHTED | PAPI_PROFIL_FORCE_SW));
    OK(PAPI_start(es));
    operations_loop(100000000);
    OK(PAPI_stop(es, values));
    printf("by weight: %llu for 10000000 thresholds\n", (unsigned long long)weighted);
    CHECK(weighted > 100000 && weighted <= 10000000);
    test_drop(es);
}

/* ---- wrong calls */

static void wrong_arguments(void **state)
{
    int es = measure_set((const char *const[]){"PAPI_DP_OPS", "PAPI_LST_INS", NULL}), n = 1, found;
    int derived = test_code_of("PAPI_LST_INS"), absent = test_code_of("PAPI_SP_OPS");
    (void)state;
    CODE(PAPI_overflow(es, dp_ops(), 1000, 0, NULL), PAPI_EINVAL);
    CODE(PAPI_overflow(es, dp_ops(), -1, 0, note), PAPI_EINVAL);
    CODE(PAPI_overflow(es, dp_ops(), 1000, 0x1000, note), PAPI_EINVAL);
    CODE(PAPI_overflow(es, dp_ops(), 1000, PAPI_OVERFLOW_FORCE_SW | PAPI_OVERFLOW_HARDWARE, note),
         PAPI_EINVAL);
    CODE(PAPI_overflow(es, absent, 1000, 0, note), PAPI_EINVAL);
    CODE(PAPI_overflow(es, derived, 1000, 0, note), PAPI_EINVAL);
    CHECK(strstr(PAPI_strerror(PAPI_EINVAL), "derived") != NULL);
    CODE(PAPI_overflow(es + 1000, dp_ops(), 1000, 0, note), PAPI_ENOEVST);
    CODE(PAPI_get_overflow_event_index(es, 1, &found, &n), PAPI_EINVAL); /* nothing overflows */
    OK(PAPI_overflow(es, dp_ops(), 1000, 0, note));
    CODE(PAPI_overflow(es, derived, 1000, PAPI_OVERFLOW_FORCE_SW, note), PAPI_ECNFLCT);
    CODE(PAPI_get_overflow_event_index(es, 0, &found, &n), PAPI_EINVAL);
    CODE(PAPI_get_overflow_event_index(es, 1, NULL, &n), PAPI_EINVAL);
    CODE(PAPI_get_overflow_event_index(es, 1, &found, NULL), PAPI_EINVAL);
    n = 0;
    CODE(PAPI_get_overflow_event_index(es, 1, &found, &n), PAPI_EINVAL);
    OK(PAPI_start(es));
    CODE(PAPI_overflow(es, dp_ops(), 2000, 0, note), PAPI_EISRUN);
    CODE(PAPI_overflow(es, dp_ops(), 0, 0, NULL), PAPI_EISRUN);
    test_drop(es);
}

static void one_set_at_a_time_overflows_on_an_event(void **state)
{
    int es = operations_set(), other = operations_set();
    long long value;
    (void)state;
    OK(PAPI_overflow(es, dp_ops(), 1000, 0, note));
    OK(PAPI_overflow(other, dp_ops(), 1000, 0, note));
    OK(PAPI_start(es));
    CODE(PAPI_start(other), PAPI_ECNFLCT);
    OK(PAPI_stop(es, &value));
    EQUAL((memset(&calls, 0, sizeof calls), run(other, 1000)), 3000);
    check_places(other, 3, 1000);
    test_drop(es);
    test_drop(other);
}

/* ---- threads */

static _Thread_local int own_calls;
static void note_own(int es, void *address, long long vector, void *context)
{
    (void)es, (void)vector, (void)context;
    own_calls += address == operation_0 || address == operation_1 || address == operation_2;
}

static void *overflow_in_thread(void *turns)
{
    long long value;
    int es = operations_set();
    OK(PAPI_overflow(es, dp_ops(), 100, 0, note_own));
    OK(PAPI_start(es));
    operations_loop((long)turns);
    OK(PAPI_stop(es, &value));
    EQUAL(value, 3 * (long)turns);
    EQUAL(own_calls, 3 * (long)turns / 100);
    test_drop(es);
    OK(PAPI_unregister_thread());
    return NULL;
}

static void each_thread_takes_its_own(void **state)
{
    pthread_t thread[4];
    (void)state;
    need_emulator();
    OK(PAPI_thread_init(pthread_self));
    for (long i = 0; i < 4; i++)
        EQUAL(pthread_create(&thread[i], NULL, overflow_in_thread, (void *)(1000 * (i + 1))), 0);
    for (int i = 0; i < 4; i++)
        EQUAL(pthread_join(thread[i], NULL), 0);
}

/* ---- profiling */

/* 300 samples, of which each operation has 100: the threshold is one more than a multiple of 3. */
enum { PROFILED = 100000, EVERY = 1000, SAMPLES = 100, BYTES_OF_LOOP = 32 };

static uint64_t buckets[BYTES_OF_LOOP + 1];

static uint64_t bucket(unsigned size, unsigned i)
{
    const void *all = buckets;
    if (size == 2)
        return ((const uint16_t *)all)[i];
    return size == 4 ? ((const uint32_t *)all)[i] : buckets[i];
}

/* Checks a histogram: each bucket has the samples of the operations whose addresses fall into it. */
static void profile(int es, unsigned flag, unsigned size, unsigned scale, unsigned addresses)
{
    uintptr_t from = (uintptr_t)operation_0;
    uint64_t wanted[BYTES_OF_LOOP] = {0};
    unsigned n = (BYTES_OF_LOOP + addresses - 1) / addresses;
    memset(buckets, 0, sizeof buckets);
    for (int i = 1; i <= OPERATIONS; i++)
        wanted[(place(i) - from) / addresses] += SAMPLES;
    OK(PAPI_profil(buckets, n * size, (vptr_t)operation_0, scale, es, dp_ops(), EVERY, (int)flag));
    EQUAL(run(es, PROFILED), 3 * PROFILED);
    for (unsigned i = 0; i < n; i++)
        EQUAL(bucket(size, i), wanted[i]);
    EQUAL(bucket(size, n), 0);
    OK(PAPI_profil(buckets, n * size, (vptr_t)operation_0, scale, es, dp_ops(), 0, (int)flag));
    EQUAL(run(es, PROFILED), 3 * PROFILED);
    EQUAL(bucket(size, 0), wanted[0]); /* switched off */
}

static void histograms(void **state)
{
    static const struct {
        unsigned flag, size;
    } sizes[] = {{0, 2}, {PAPI_PROFIL_BUCKET_16, 2}, {PAPI_PROFIL_BUCKET_32, 4}, {PAPI_PROFIL_BUCKET_64, 8}};
    int es = operations_set();
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        profile(es, sizes[i].flag, sizes[i].size, 0x20000, 1);
        profile(es, sizes[i].flag, sizes[i].size, 0x10000, 2);
        profile(es, sizes[i].flag, sizes[i].size, 0x8000, 4);
        profile(es, sizes[i].flag, sizes[i].size, 0x1000, 32);
        profile(es, sizes[i].flag | PAPI_PROFIL_WEIGHTED, sizes[i].size, 2, 0x10000);
    }
    test_drop(es);
}

static uint64_t one_bucket(int es, unsigned size, int flags, int threshold, long turns)
{
    memset(buckets, 0, sizeof buckets);
    OK(PAPI_profil(buckets, size, (vptr_t)operation_0, 2, es, dp_ops(), threshold, flags));
    EQUAL(run(es, turns), 3 * turns);
    return bucket(size, 0);
}

static void random_samples(void **state)
{
    int es = operations_set();
    (void)state;
    uint64_t taken = one_bucket(es, 8, PAPI_PROFIL_RANDOM | PAPI_PROFIL_BUCKET_64, 30, 100000);
    printf("random: %llu of 10000\n", (unsigned long long)taken);
    CHECK(taken > 7000 && taken < 8000);
    test_drop(es);
}

/* PAPI_PROFIL_COMPRESS records one of 2^k samples, where k is the number of sixteenths of a 16-bit bucket's
 * range that are full: all of the first 4,096, half of the 5,904 others, which makes 7,048 of 10,000. */
static void compressed(void **state)
{
    int es = operations_set();
    (void)state;
    uint64_t taken = one_bucket(es, 2, PAPI_PROFIL_COMPRESS, 30, 100000);
    printf("compressed: %llu of 10000\n", (unsigned long long)taken);
    CHECK(taken > 6900 && taken < 7200);
    test_drop(es);
}

static void a_full_bucket_stays_full(void **state)
{
    int es = operations_set();
    (void)state;
    EQUAL(one_bucket(es, 2, PAPI_PROFIL_POSIX, 3, 65534), 65534);
    EQUAL(one_bucket(es, 2, PAPI_PROFIL_POSIX, 3, 65600), 65535);
    test_drop(es);
}

static void two_regions(void **state)
{
    int es = operations_set();
    uint16_t first[BYTES_OF_LOOP] = {0};
    uint32_t second[BYTES_OF_LOOP] = {0};
    PAPI_sprofil_t regions[] = {
        {first, sizeof first, (vptr_t)operation_0, 0x20000},
        {second, sizeof first, (vptr_t)other_0, 0x20000}, /* as long: buckets have one size */
    };
    long long value;
    (void)state;
    OK(PAPI_sprofil(regions, 2, es, dp_ops(), EVERY, PAPI_PROFIL_BUCKET_16));
    OK(PAPI_start(es));
    operations_loop(PROFILED);
    other_loop(PROFILED);
    other_loop(PROFILED);
    OK(PAPI_stop(es, &value));
    EQUAL(value, 9 * PROFILED);
    for (int i = 0; i < OPERATIONS; i++) {
        EQUAL(first[place(i + 1) - (uintptr_t)operation_0], SAMPLES);
        EQUAL(((uint16_t *)second)[place(i + 1) - (uintptr_t)operation_0], 2 * SAMPLES);
    }
    test_drop(es);
}

static void wrong_profiles(void **state)
{
    int es = operations_set();
    PAPI_sprofil_t region = {buckets, sizeof buckets, (vptr_t)operation_0, 0x10000};
    (void)state;
#define PROFIL(buf, size, scale, threshold, flags)                                                           \
    PAPI_profil(buf, size, (vptr_t)operation_0, scale, es, dp_ops(), threshold, flags)
    CODE(PROFIL(NULL, 64, 0x10000, 1000, 0), PAPI_EINVAL);
    CODE(PROFIL((char *)buckets + 1, 64, 0x10000, 1000, 0), PAPI_EINVAL);
    CODE(PROFIL(buckets, 1, 0x10000, 1000, 0), PAPI_EINVAL);
    CODE(PROFIL(buckets, 64, 1, 1000, 0), PAPI_EINVAL);
    CODE(PROFIL(buckets, 64, 0x20001, 1000, 0), PAPI_EINVAL);
    CODE(PROFIL(buckets, 64, 0x10000, -1, 0), PAPI_EINVAL);
    CODE(PROFIL(buckets, 64, 0x10000, 1000, PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32), PAPI_EINVAL);
    CODE(PAPI_sprofil(NULL, 1, es, dp_ops(), 1000, 0), PAPI_EINVAL);
    CODE(PAPI_sprofil(&region, 0, es, dp_ops(), 1000, 0), PAPI_EINVAL);
    CODE(PAPI_sprofil(&region, 1, es, test_code_of("PAPI_SP_OPS"), 1000, 0), PAPI_EINVAL);
    OK(PAPI_start(es));
    CODE(PROFIL(buckets, 64, 0x10000, 1000, 0), PAPI_EISRUN);
    test_drop(es);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_million_of_10_8),
        cmocka_unit_test(any_threshold),
        cmocka_unit_test(branches_overflow_where_they_are),
        cmocka_unit_test(instructions_overflow_where_they_are),
        cmocka_unit_test(two_events),
        cmocka_unit_test(handlers_use_the_counters),
        cmocka_unit_test(resets_up_to_the_stop),
        cmocka_unit_test(small_thresholds_end),
        cmocka_unit_test(slow_handlers_are_not_counted),
        cmocka_unit_test(by_a_timer),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(one_set_at_a_time_overflows_on_an_event),
        cmocka_unit_test(each_thread_takes_its_own),
        cmocka_unit_test(histograms),
        cmocka_unit_test(random_samples),
        cmocka_unit_test(compressed),
        cmocka_unit_test(a_full_bucket_stays_full),
        cmocka_unit_test(two_regions),
        cmocka_unit_test(wrong_profiles),
    };
    return TEST_RUN(tests);
}
