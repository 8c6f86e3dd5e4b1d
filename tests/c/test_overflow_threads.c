/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads whose event sets overflow while others make, start, stop and destroy event sets. Built with
 * the library, and once more with the library's sources under ThreadSanitizer, which holds signals
 * back until the next call of the C library: the overflows wait in their buffer.
 */
#include "testing.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    COUNTERS = 8,
    MAKERS = 4,
    ROUNDS = 100,
    PAGES = 100,
    THRESHOLD = 10,
    OVERFLOWS = ROUNDS * PAGES / THRESHOLD
};

static atomic_int counters_left;
static _Thread_local int own_calls, wrong_calls, own_set;

static void note(int es, void *address, long long vector, void *context)
{
    own_calls++;
    wrong_calls += es != own_set || address == NULL || vector != 1 || context == NULL;
}

static void *count(void *argument)
{
    long long values[2];
    (void)argument;
    own_set = test_set(FAULTS, MINOR, NULL);
    OK(PAPI_overflow(own_set, test_code_of(FAULTS), THRESHOLD, 0, note));
    OK(PAPI_start(own_set));
    for (int round = 0; round < ROUNDS; round++) {
        test_touch_pages(PAGES);
        OK(PAPI_read(own_set, values));
    }
    test_sleep(1);
    OK(PAPI_stop(own_set, values));
    CHECK(values[0] >= ROUNDS * PAGES);
    EQUAL(own_calls, values[0] / THRESHOLD);
    CHECK(own_calls >= OVERFLOWS);
    EQUAL(wrong_calls, 0);
    atomic_fetch_sub(&counters_left, 1);
    return NULL;
}

static void *count_by_a_timer(void *argument)
{
    long long values[1];
    (void)argument;
    own_set = test_set(CLOCK, NULL);
    OK(PAPI_overflow(own_set, test_code_of(CLOCK), 1000, PAPI_OVERFLOW_FORCE_SW, note));
    while (own_calls < 20) {
        OK(PAPI_start(own_set));
        test_burn(10000000);
        OK(PAPI_stop(own_set, values));
    }
    EQUAL(wrong_calls, 0);
    atomic_fetch_sub(&counters_left, 1);
    return NULL;
}

static void *make_and_destroy(void *argument)
{
    int form = argument != NULL ? PAPI_OVERFLOW_FORCE_SW : PAPI_OVERFLOW_HARDWARE;
    while (atomic_load(&counters_left) > 0) {
        int es = test_set(CLOCK, FAULTS, NULL);
        OK(PAPI_start(es));
        OK(PAPI_stop(es, NULL));
        OK(PAPI_overflow(es, test_code_of(FAULTS), 1000, form, note));
        OK(PAPI_start(es));
        OK(PAPI_stop(es, NULL));
        test_drop(es);
    }
    return NULL;
}

static void every_thread_has_its_own(void **state)
{
    pthread_t thread[COUNTERS + 1 + MAKERS];
    NEED_SOFTWARE_EVENTS();
    (void)state;
    OK(PAPI_thread_init(pthread_self));
    atomic_store(&counters_left, COUNTERS + 1);
    for (long i = 0; i < COUNTERS + 1 + MAKERS; i++)
        EQUAL(pthread_create(&thread[i], NULL,
                             i < COUNTERS    ? count
                             : i == COUNTERS ? count_by_a_timer
                                             : make_and_destroy,
                             i % 2 == 0 ? thread : NULL),
              0);
    for (int i = 0; i < COUNTERS + 1 + MAKERS; i++)
        EQUAL(pthread_join(thread[i], NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_has_its_own),
    };
    return TEST_RUN(tests);
}
