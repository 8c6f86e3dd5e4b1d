/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program whose threads share their counters (papi_counted --shared-by-threads): each event set has the
 * sum.
 */
#include "testing.h"
#include "work.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 4 };

static void *work_here(void *n)
{
    for (int i = 0; i < *(int *)n; i++)
        work_dot(100);
    return NULL;
}

static void run_threads(void)
{
    int n[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        n[i] = 10 * (i + 1);
        EQUAL(pthread_create(&thread[i], NULL, work_here, &n[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

static void counts_all_threads_together(void **state)
{
    enum { ROUNDS = 20 };
    long long got;
    (void)state;
    test_init();
    int es = test_set("counted::DP_OPS", NULL);
    for (int round = 0; round < ROUNDS; round++) {
        OK(PAPI_start(es));
        run_threads();
        OK(PAPI_stop(es, &got));
        EQUAL(got, 200 * (10 + 20 + 30 + 40));
    }
    test_drop(es);
}

static void inherits(void **state)
{
    int es = test_set("counted::DP_OPS", NULL);
    PAPI_option_t option = {.inherit = {.eventset = es, .inherit = PAPI_INHERIT_ALL}};
    long long got;
    (void)state;
    OK(PAPI_set_opt(PAPI_INHERIT, &option));
    OK(PAPI_start(es));
    run_threads();
    OK(PAPI_stop(es, &got));
    EQUAL(got, 20000);
    test_drop(es);
}

static void says_so(void **state)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_component_index("counted"));
    (void)state;
    CHECK(info != NULL);
    EQUAL(info->disabled, PAPI_OK);
    EQUAL(info->partially_disabled, PAPI_PARTIAL);
    CHECK(strstr(info->partially_disabled_reason, "the program does is the sum of all threads") != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_all_threads_together),
                                       cmocka_unit_test(inherits), cmocka_unit_test(says_so)};
    return TEST_RUN(tests);
}
