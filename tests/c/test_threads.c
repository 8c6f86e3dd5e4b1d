/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that count while others make and destroy event sets, and threads that start together.
 */
#include "testing.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { COUNTERS = 8, MAKERS = 4, ROUNDS = 200 };

static atomic_int counters_left;

/* Page faults of mmap and of the thread's own stack come on top of the known work. */
static void check_near(long long got, long long wanted)
{
    CHECK(got >= wanted);
    CHECK(got <= wanted + 4 * test_slack() + 20);
}

static void *count(void *argument)
{
    int n = *(int *)argument;
    long long values[2];
    int es = test_set(FAULTS, CLOCK, NULL), second = test_set(MINOR, NULL);
    test_touch_pages(1);
    OK(PAPI_start(es));
    OK(PAPI_start(second));
    for (int round = 0; round < ROUNDS; round++) {
        long long clock;

        OK(PAPI_reset(es));
        test_touch_pages(n);
        OK(PAPI_read(es, values));
        check_near(values[0], n);
        clock = values[1];
        OK(PAPI_read(es, values));
        CHECK(values[1] > clock);
    }
    OK(PAPI_stop(second, values));
    CHECK(values[0] >= (long long)ROUNDS * n);
    OK(PAPI_stop(es, values));
    atomic_fetch_sub(&counters_left, 1);
    return NULL; /* both sets left to the end of the thread */
}

static void *make_and_destroy(void *argument)
{
    (void)argument;
    while (atomic_load(&counters_left) > 0) {
        int es = test_set(CLOCK, FAULTS, MAJOR, NULL), code = 0;

        OK(PAPI_start(es));
        CODE(PAPI_start(es), PAPI_EISRUN);
        OK(PAPI_event_name_to_code(MINOR, &code));
        OK(PAPI_query_event(code));
        CHECK(PAPI_get_component_info(0) != NULL);
        OK(PAPI_stop(es, NULL));
        OK(PAPI_remove_named_event(es, CLOCK));
        test_drop(es);
    }
    return NULL;
}

static void counting_beside_making(void **state)
{
    pthread_t threads[COUNTERS + MAKERS];
    int n[COUNTERS], before = 0;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int round = 0; round < 2; round++) {
        atomic_store(&counters_left, COUNTERS);
        for (int i = 0; i < COUNTERS; i++) {
            n[i] = 10 * (i + 1);
            EQUAL(pthread_create(&threads[i], NULL, count, &n[i]), 0);
        }
        for (int i = COUNTERS; i < COUNTERS + MAKERS; i++)
            EQUAL(pthread_create(&threads[i], NULL, make_and_destroy, NULL), 0);
        for (int i = 0; i < COUNTERS + MAKERS; i++)
            pthread_join(threads[i], NULL);
        if (round == 0)
            before = test_open_descriptors();
    }
    EQUAL(test_open_descriptors(), before);
    PAPI_shutdown();
}

/* ---- everything loaded on demand is asked for by all threads at once */

static pthread_barrier_t gate;

static void *first_calls(void *argument)
{
    PAPI_event_info_t info;
    int code = PAPI_NATIVE_MASK, es;
    (void)argument;
    pthread_barrier_wait(&gate);
    test_init();
    CHECK(PAPI_get_hardware_info() != NULL);
    CHECK(PAPI_num_hwctrs() >= 0);
    OK(PAPI_get_event_info(PAPI_TOT_INS, &info));
    OK(PAPI_enum_event(&code, PAPI_ENUM_FIRST));
    es = test_set(FAULTS, NULL);
    OK(PAPI_start(es));
    test_drop(es);
    return NULL;
}

static void first_calls_together(void **state)
{
    pthread_t threads[COUNTERS];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    pthread_barrier_init(&gate, NULL, COUNTERS);
    for (int life = 0; life < 5; life++) {
        PAPI_shutdown();
        for (int i = 0; i < COUNTERS; i++)
            EQUAL(pthread_create(&threads[i], NULL, first_calls, NULL), 0);
        for (int i = 0; i < COUNTERS; i++)
            pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&gate);
    PAPI_shutdown();
}

/* ---- the thread's own: numbers, pointers, errors */

static unsigned long number(void)
{
    return (unsigned long)pthread_self();
}

static void *keep_a_pointer(void *argument)
{
    int mine = 0;
    void *got = &mine;
    OK(PAPI_get_thr_specific(PAPI_TLS_USR1, &got));
    CHECK(got == NULL);
    OK(PAPI_set_thr_specific(PAPI_TLS_USR1, &mine));
    pthread_barrier_wait(argument);
    OK(PAPI_get_thr_specific(PAPI_TLS_USR1, &got));
    CHECK(got == &mine);
    OK(PAPI_get_thr_specific(PAPI_TLS_USR2, &got));
    CHECK(got == NULL);
    EQUAL(PAPI_thread_id(), number());
    return NULL;
}

static void pointers_of_threads(void **state)
{
    pthread_barrier_t barrier;
    pthread_t threads[COUNTERS];
    (void)state;
    test_init();
    OK(PAPI_thread_init(number));
    pthread_barrier_init(&barrier, NULL, COUNTERS);
    for (int i = 0; i < COUNTERS; i++)
        EQUAL(pthread_create(&threads[i], NULL, keep_a_pointer, &barrier), 0);
    for (int i = 0; i < COUNTERS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    PAPI_shutdown();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting_beside_making),
        cmocka_unit_test(first_calls_together),
        cmocka_unit_test(pointers_of_threads),
    };

    return TEST_RUN(tests);
}
