/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that are cancelled at any point (deferred: no function of the library may be cancelled
 * asynchronously) leave no lock taken, no event set and no descriptor behind.
 */
#include "race.h"

#include <time.h>

enum { THREADS = 4 };

static atomic_int turns;
static atomic_bool over; /* never */

static void on_overflow(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
}

static void *use_everything(void *argument)
{
    unsigned random = (unsigned)(size_t)argument;
    long long values[2];
    while (!atomic_load(&over)) {
        PAPI_event_info_t info;
        int es = test_set(race_event(), FAULTS, NULL), forms[] = {0, PAPI_OVERFLOW_FORCE_SW};
        OK(PAPI_overflow(es, test_code_of(race_event()), race_threshold(), forms[race_random(&random, 2)],
                         on_overflow));
        OK(PAPI_start(es));
        OK(PAPI_read(es, values));
        PAPI_get_event_info(PAPI_TOT_CYC, &info);
        OK(PAPI_lock(PAPI_LOCK_USR1));
        OK(PAPI_unlock(PAPI_LOCK_USR1));
        atomic_fetch_add(&turns, 1);
        /* Some are ended while they compute. */
        if (race_random(&random, 4) == 0)
            pthread_testcancel();
        race_stop(es, values);
        test_drop(es);
    }
    return NULL;
}

static void *hold_the_lock(void *argument)
{
    (void)argument;
    OK(PAPI_lock(PAPI_LOCK_USR2));
    atomic_fetch_add(&turns, 1);
    while (!atomic_load(&over))
        pthread_testcancel();
    return NULL;
}

static void wait_a_little(unsigned *random)
{
    struct timespec moment = {.tv_nsec = race_random(random, 2000000)};
    nanosleep(&moment, NULL);
}

static void cancel(pthread_t thread)
{
    void *result = NULL;
    EQUAL(pthread_cancel(thread), 0);
    EQUAL(pthread_join(thread, &result), 0);
    CHECK(result == PTHREAD_CANCELED);
}

static void cancelled_at_any_point(void **state)
{
    unsigned random = 7;
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    SKIP("AddressSanitizer takes what is left on a cancelled thread's stack for an error");
#endif
    NEED_SOFTWARE_EVENTS();
    int descriptors = test_open_descriptors();
    for (int round = race_rounds(200); round > 0; round--) {
        pthread_t threads[THREADS];
        for (size_t i = 0; i < THREADS; i++)
            threads[i] = race_start(use_everything, (void *)(i + 4u * (unsigned)round));
        wait_a_little(&random);
        for (int i = 0; i < THREADS; i++)
            cancel(threads[i]);
        /* Whoever comes after finds every lock free. */
        test_drop(test_set(FAULTS, NULL));
        OK(PAPI_lock(PAPI_LOCK_USR1));
        OK(PAPI_unlock(PAPI_LOCK_USR1));
    }
    printf("%d turns\n", atomic_load(&turns));
    CHECK(atomic_load(&turns) > 0);
    PAPI_shutdown();
    EQUAL(test_open_descriptors(), descriptors);
    EQUAL(race_mappings(), 0);
}

static void with_a_lock(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    SKIP("AddressSanitizer takes what is left on a cancelled thread's stack for an error");
#endif
    test_init();
    atomic_store(&turns, 0);
    pthread_t thread = race_start(hold_the_lock, NULL);
    while (atomic_load(&turns) == 0)
        ;
    cancel(thread);
    OK(PAPI_lock(PAPI_LOCK_USR2));
    OK(PAPI_unlock(PAPI_LOCK_USR2));
    PAPI_shutdown();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cancelled_at_any_point),
                                       cmocka_unit_test(with_a_lock)};
    return TEST_RUN(tests);
}
