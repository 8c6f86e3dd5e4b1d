/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Habits of existing programs: orders of calls, several initialisations, threads that just end, fork.
 */
#include "testing.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static unsigned long thread_number(void)
{
    return (unsigned long)pthread_self();
}

static void run_threads(int n, void *(*body)(void *), void *argument)
{
    pthread_t threads[16];
    for (int i = 0; i < n; i++)
        EQUAL(pthread_create(&threads[i], NULL, body, argument), 0);
    for (int i = 0; i < n; i++)
        EQUAL(pthread_join(threads[i], NULL), 0);
}

/* ---- first calls. In child processes, where nothing was called before. */

static void flops_first(void *argument)
{
    float rtime = -1, ptime = -1, mflops = -1;
    long long flpops = -1;
    (void)argument;
    EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
    OK(PAPI_flops(&rtime, &ptime, &flpops, &mflops));
    EQUAL(PAPI_is_initialized(), PAPI_HIGH_LEVEL_INITED);
    CHECK(rtime == 0 && ptime == 0 && flpops == 0 && mflops == 0);
    test_touch_pages(100);
    OK(PAPI_flops(&rtime, &ptime, &flpops, &mflops));
    COUNTED(flpops, 100);
    PAPI_shutdown();
}

static void flops_is_the_first_call(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_software_presets();
    test_in_child(flops_first, NULL);
    unsetenv("PAPI_CSV_EVENT_FILE");
}

/* PAPI_flops explains why a machine does not count operations, and leaves no descriptor open. */
static void flops_uncounted(void *argument)
{
    float rtime = -1, ptime = -1, mflops = -1;
    long long flpops = -1;
    int error, before;
    char text[PAPI_HUGE_STR_LEN];
    (void)argument;
    test_init();
    error = PAPI_query_event(PAPI_FP_OPS);
    if (error == PAPI_OK)
        return;
    before = test_open_descriptors();
    CODE(PAPI_flops(&rtime, &ptime, &flpops, &mflops), error);
    snprintf(text, sizeof text, "%s", PAPI_strerror(error));
    printf("# PAPI_flops: %s\n", text);
    CHECK(strlen(text) > strlen("Event does not exist") + 10);
    /* The table of the processor may say that nothing on it counts operations, wherever the program runs. */
    if (PAPI_num_hwctrs() == 0 && error == PAPI_ENOEVNT && strstr(text, "on this processor") == NULL)
        CHECK(strstr(text, "hardware counter") != NULL);
    EQUAL(test_open_descriptors(), before);
    CODE(PAPI_stop_counters(NULL, 0), PAPI_ENOTRUN);
    PAPI_shutdown();
}

static void flops_says_why_not(void **state)
{
    (void)state;
    test_init();
    PAPI_shutdown();
    unsetenv("PAPI_CSV_EVENT_FILE");
    test_in_child(flops_uncounted, NULL);
}

static void *name_to_code_first(void *argument)
{
    int code = 0;
    (void)argument;
    OK(PAPI_event_name_to_code("PAPI_TOT_INS", &code));
    EQUAL(code, PAPI_TOT_INS);
    OK(PAPI_event_name_to_code(CLOCK, &code));
    CHECK(code & PAPI_NATIVE_MASK);
    return NULL;
}

static void name_to_code_in_new_threads(void **state)
{
    (void)state;
    test_init();
    run_threads(8, name_to_code_first, NULL);
}

static void *init_and_count(void *argument)
{
    long long value = -1;
    int es;
    (void)argument;
    test_init();
    OK(PAPI_thread_init(thread_number));
    EQUAL(PAPI_thread_id(), thread_number());
    es = test_set(FAULTS, NULL);
    OK(PAPI_start(es));
    test_touch_pages(50);
    OK(PAPI_stop(es, &value));
    COUNTED(value, 50);
    test_drop(es);
    return NULL;
}

static void thread_init_in_every_thread(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    OK(PAPI_thread_init(thread_number));
    CHECK(PAPI_is_initialized() & PAPI_THREAD_LEVEL_INITED);
    for (int round = 0; round < 5; round++)
        run_threads(8, init_and_count, NULL);
    PAPI_shutdown();
}

/* ---- initialising and shutting down */

static void three_lives(void **state)
{
    int stale = PAPI_NULL, before = 0;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    for (int life = 0; life < 3; life++) {
        int es;

        EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
        test_init();
        EQUAL(PAPI_is_initialized(), PAPI_LOW_LEVEL_INITED);
        if (life > 0)
            CODE(PAPI_start(stale), PAPI_ENOEVST);
        es = test_set(FAULTS, CLOCK, NULL);
        OK(PAPI_start(es));
        stale = es; /* left running: the shutdown frees it */
        PAPI_shutdown();
        if (life == 0)
            before = test_open_descriptors();
        EQUAL(test_open_descriptors(), before);
        CODE(PAPI_stop(stale, NULL), PAPI_ENOINIT);
    }
}

static void shutdown_twice_and_without_init(void **state)
{
    (void)state;
    PAPI_shutdown();
    PAPI_shutdown();
    test_init();
    test_init();
    PAPI_shutdown();
    PAPI_shutdown();
    EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
}

/* Programs switch components off before they initialise. */
static void disable(void *argument)
{
    int es = PAPI_NULL;
    (void)argument;
    assert_int_equal(PAPI_disable_component_by_name("perf_event"), PAPI_OK);
    assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    assert_int_equal(PAPI_get_component_info(0)->disabled, PAPI_ECMP_DISABLED);
    assert_int_equal(PAPI_query_named_event("perf::TASK-CLOCK"), PAPI_ECMP_DISABLED);
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    assert_int_equal(PAPI_add_named_event(es, "perf::TASK-CLOCK"), PAPI_ECMP_DISABLED);
    PAPI_shutdown();
    es = PAPI_NULL;
    assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    assert_int_equal(PAPI_get_component_info(0)->disabled == PAPI_ECMP_DISABLED, 0);
}

static void component_switched_off_before_init(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_in_child(disable, NULL);
}

static void shutdown_first(void *argument)
{
    (void)argument;
    PAPI_shutdown();
    test_init();
    PAPI_shutdown();
}

static void shutdown_as_the_very_first_call(void **state)
{
    (void)state;
    PAPI_shutdown();
    test_in_child(shutdown_first, NULL);
}

static void high_level_after_shutdown(void **state)
{
    long long value = -1;
    int code;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int life = 0; life < 3; life++) {
        test_init();
        code = test_code_of(FAULTS);
        OK(PAPI_start_counters(&code, 1));
        EQUAL(PAPI_is_initialized(), PAPI_HIGH_LEVEL_INITED);
        PAPI_shutdown(); /* with the counters running: the next life knows nothing of them */
        CODE(PAPI_stop_counters(&value, 1), PAPI_ENOTRUN);
        EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
        test_init();
        EQUAL(PAPI_is_initialized(), PAPI_LOW_LEVEL_INITED);
        CODE(PAPI_read_counters(&value, 1), PAPI_ENOTRUN);
        PAPI_shutdown();
    }
}

static void version_words(void **state)
{
    static const int nonsense[] = {0,
                                   -1,
                                   1,
                                   7,
                                   INT_MAX,
                                   INT_MIN,
                                   0x70000,
                                   72,
                                   PAPI_VERSION_NUMBER(4, 4, 0, 0),
                                   PAPI_VERSION_NUMBER(8, 0, 0, 0)};

    (void)state;
    for (int major = 5; major <= 7; major++)
        for (int minor = 0; minor <= 9; minor++)
            for (int life = 0; life < 2; life++) {
                int version = PAPI_VERSION_NUMBER(major, minor, 0, 0);

                EQUAL(PAPI_library_init(version), version);
                EQUAL(PAPI_library_init(version), version);
                if (life == 0)
                    PAPI_shutdown();
            }
    EQUAL(PAPI_library_init(PAPI_VERSION), PAPI_VERSION);
    EQUAL(PAPI_library_init(PAPI_VERSION_NUMBER(7, 0, 1, 3)), PAPI_VERSION_NUMBER(7, 0, 1, 3));
    PAPI_shutdown();
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++)
        CODE(PAPI_library_init(nonsense[i]), PAPI_EINVAL);
    EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
}

/* ---- threads that just end */

static void *count_and_forget(void *argument)
{
    int es = test_set(FAULTS, CLOCK, NULL), stopped = test_set(MAJOR, NULL);
    int code = test_code_of(FAULTS);
    (void)argument;
    OK(PAPI_start(es));
    OK(PAPI_start(stopped));
    OK(PAPI_stop(stopped, NULL));
    OK(PAPI_start_counters(&code, 1));
    return NULL;
}

static void ended_threads_leave_no_descriptors(void **state)
{
    int before;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    run_threads(1, count_and_forget, NULL);
    before = test_open_descriptors();
    for (int round = 0; round < 20; round++)
        run_threads(8, count_and_forget, NULL);
    EQUAL(test_open_descriptors(), before);
    PAPI_shutdown();
}

static void *outlive_shutdown(void *argument)
{
    pthread_barrier_t *barrier = argument;
    int es = test_set(FAULTS, NULL);
    OK(PAPI_start(es));
    pthread_barrier_wait(barrier); /* the main thread shuts down */
    pthread_barrier_wait(barrier);
    CODE(PAPI_stop(es, NULL), PAPI_ENOINIT);
    return NULL;
}

/* The shutdown takes nothing away that the thread may be using: its descriptors go with it. */
static void threads_that_outlive_the_library(void **state)
{
    pthread_barrier_t barrier;
    pthread_t thread;
    int before;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    before = test_open_descriptors();
    test_init();
    pthread_barrier_init(&barrier, NULL, 2);
    EQUAL(pthread_create(&thread, NULL, outlive_shutdown, &barrier), 0);
    pthread_barrier_wait(&barrier);
    PAPI_shutdown();
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    EQUAL(test_open_descriptors(), before);
    test_init();
    PAPI_shutdown();
}

static void unregistered_threads_start_anew(void **state)
{
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    OK(PAPI_register_thread());
    es = test_set(FAULTS, NULL);
    OK(PAPI_unregister_thread());
    CODE(PAPI_start(es), PAPI_ENOEVST);
    es = test_set(FAULTS, NULL);
    OK(PAPI_start(es));
    CODE(PAPI_unregister_thread(), PAPI_EISRUN);
    OK(PAPI_stop(es, NULL));
    test_drop(es);
}

/* ---- fork */

static void lost_in_the_child(void *argument)
{
    long long values[2] = {-1, -1}, ticks;
    int es = *(int *)argument, own, status = 0, before;
    CODE(PAPI_read(es, values), PAPI_ECLOST);
    CODE(PAPI_read_ts(es, values, &ticks), PAPI_ECLOST);
    CODE(PAPI_accum(es, values), PAPI_ECLOST);
    EQUAL(values[0], -1); /* not the parent's counts */
    CODE(PAPI_reset(es), PAPI_ECLOST);
    CODE(PAPI_stop(es, values), PAPI_ECLOST);
    CODE(PAPI_start(es), PAPI_ECLOST);
    EQUAL(PAPI_state(es, &status) == PAPI_OK || PAPI_state(es, &status) == PAPI_ECLOST, 1);

    own = test_set(FAULTS, CLOCK, NULL);
    OK(PAPI_start(own));
    test_touch_pages(100);
    OK(PAPI_stop(own, values));
    COUNTED(values[0], 100);
    test_drop(own);

    /* A set whose process has ended can still be emptied and destroyed. */
    before = test_open_descriptors();
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
    EQUAL(es, PAPI_NULL);
    CHECK(test_open_descriptors() <= before);
    PAPI_shutdown();
    EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
    test_init();
    test_drop(test_set(FAULTS, NULL));
    PAPI_shutdown();
}

static void child_counts_for_itself(void **state)
{
    long long values[2] = {-1, -1};
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, CLOCK, NULL);
    OK(PAPI_start(es));
    test_touch_pages(100);
    test_in_child(lost_in_the_child, &es);
    OK(PAPI_read(es, values));
    CHECK(values[0] >= 100);
    OK(PAPI_reset(es));
    test_touch_pages(100);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], 100); /* the child's reset, stop and shutdown were not the parent's */
    test_drop(es);
}

static void counters_in_the_child(void *argument)
{
    long long value = -1;
    int code = *(int *)argument;
    CODE(PAPI_read_counters(&value, 1), PAPI_ECLOST);
    CODE(PAPI_accum_counters(&value, 1), PAPI_ECLOST);
    CODE(PAPI_stop_counters(&value, 1), PAPI_ECLOST);
    EQUAL(value, -1); /* nothing was counted here, which is not 0 */
    OK(PAPI_start_counters(&code, 1));
    test_touch_pages(30);
    OK(PAPI_stop_counters(&value, 1));
    COUNTED(value, 30);
    PAPI_shutdown();
}

static void child_of_the_high_level(void **state)
{
    long long value = -1;
    int code;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    code = test_code_of(FAULTS);
    OK(PAPI_start_counters(&code, 1));
    test_in_child(counters_in_the_child, &code);
    OK(PAPI_read_counters(&value, 1));
    test_touch_pages(40);
    OK(PAPI_stop_counters(&value, 1));
    COUNTED(value, 40);
    PAPI_shutdown();
}

/* A child that calls nothing of the library ends without harm to the parent. */
static void silent(void *argument)
{
    (void)argument;
}

static void silent_child(void **state)
{
    long long value = -1;
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    OK(PAPI_start(es));
    test_in_child(silent, NULL);
    OK(PAPI_reset(es));
    test_touch_pages(25);
    OK(PAPI_stop(es, &value));
    COUNTED(value, 25);
    test_drop(es);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shutdown_as_the_very_first_call),
        cmocka_unit_test(component_switched_off_before_init),
        cmocka_unit_test(flops_is_the_first_call),
        cmocka_unit_test(flops_says_why_not),
        cmocka_unit_test(name_to_code_in_new_threads),
        cmocka_unit_test(thread_init_in_every_thread),
        cmocka_unit_test(three_lives),
        cmocka_unit_test(shutdown_twice_and_without_init),
        cmocka_unit_test(high_level_after_shutdown),
        cmocka_unit_test(version_words),
        cmocka_unit_test(ended_threads_leave_no_descriptors),
        cmocka_unit_test(threads_that_outlive_the_library),
        cmocka_unit_test(unregistered_threads_start_anew),
        cmocka_unit_test(child_counts_for_itself),
        cmocka_unit_test(child_of_the_high_level),
        cmocka_unit_test(silent_child),
    };

    return TEST_RUN(tests);
}
