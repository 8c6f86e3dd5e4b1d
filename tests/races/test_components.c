/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that list the events of all components, count some of them and ask for metrics, all at once, from a
 * library that nobody has asked anything before.
 */
#include "race.h"

enum { THREADS = 4, SOME = 4 };

/* The first events of a component, of those that this machine counts. */
static int add_some(int es, int component)
{
    PAPI_event_info_t info;
    int code = PAPI_NATIVE_MASK, n = 0;
    int result = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
    for (int i = 0; result == PAPI_OK && i < SOME; i++) {
        OK(PAPI_get_event_info(code, &info));
        n += PAPI_add_event(es, code) == PAPI_OK;
        result = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component);
    }
    return n;
}

static void count_some(int component)
{
    int es = PAPI_NULL;
    long long count[SOME] = {0};
    OK(PAPI_create_eventset(&es));
    CHECK(PAPI_get_component_info(component) != NULL);
    if (add_some(es, component) > 0) {
        OK(PAPI_start(es));
        OK(PAPI_read(es, count));
        OK(PAPI_stop(es, count));
    }
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
}

static void ask_for_metric(void)
{
    int es = test_set(FAULTS, NULL);
    long long count[1] = {1000};
    double value = 0;
    OK(PAPI_metric(es, "page_faults", count, 1000000000, &value));
    CHECK(value > 0);
    test_drop(es);
}

static void *use(void *argument)
{
    unsigned random = (unsigned)(size_t)argument + 1;
    for (int i = 0; i < 6; i++) {
        count_some((int)race_random(&random, (unsigned)PAPI_num_components()));
        ask_for_metric();
    }
    OK(PAPI_unregister_thread());
    return NULL;
}

static void first_questions(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    for (int round = race_rounds(20); round > 0; round--) {
        pthread_t thread[THREADS];
        test_init();
        for (size_t i = 0; i < THREADS; i++)
            thread[i] = race_start(use, (void *)(i + (size_t)round));
        for (int i = 0; i < THREADS; i++)
            race_join(thread[i]);
        PAPI_shutdown();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_questions)};
    return TEST_RUN(tests);
}
