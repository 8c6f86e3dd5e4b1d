/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that count what a counted library does, while it and another one come and go in all of them. The
 * program itself is not counted.
 */
#include "testing.h"
#include "work.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 400, ADDITIONS = 3 };

static pthread_barrier_t together;

static void work_in(const char *path, int n)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    work_plugin *work = (work_plugin *)dlsym(library, "plugin_work");
    CHECK(work != NULL);
    work(n);
    dlclose(library);
}

static int new_set(void)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_add_named_event(es, "counted::DP_OPS"));
    OK(PAPI_add_named_event(es, "counted::FP_ADD_INSTRUCTIONS"));
    return es;
}

/* All of them see for the first time that a library has come. */
static void read_together(int thread)
{
    long long value[2];
    int es = new_set();
    OK(PAPI_start(es));
    for (int round = 0; round < ROUNDS; round++) {
        void *library = thread == 0 ? dlopen(OTHER_PLUGIN, RTLD_NOW | RTLD_LOCAL) : NULL;
        CHECK(thread != 0 || library != NULL);
        pthread_barrier_wait(&together);
        OK(PAPI_read(es, value));
        EQUAL(value[0], 0), EQUAL(value[1], 0);
        pthread_barrier_wait(&together);
        if (library != NULL)
            dlclose(library);
    }
    OK(PAPI_stop(es, value));
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
}

static void *count(void *argument)
{
    int n = 10 * (1 + (int)(size_t)argument);
    for (int round = 0; round < ROUNDS; round++) {
        long long value[2], sum[2] = {0, 0};
        int es = new_set();
        OK(PAPI_start(es));
        work_in(PLUGIN, n);
        OK(PAPI_read(es, value));
        EQUAL(value[0], ADDITIONS * n), EQUAL(value[1], ADDITIONS * n);
        work_in(round % 2 == 0 ? PLUGIN : OTHER_PLUGIN, n);
        OK(PAPI_accum(es, sum));
        EQUAL(sum[0], 2 * ADDITIONS * n), EQUAL(sum[1], 2 * ADDITIONS * n);
        work_in(OTHER_PLUGIN, n);
        OK(PAPI_stop(es, value));
        EQUAL(value[0], ADDITIONS * n), EQUAL(value[1], ADDITIONS * n);
        OK(PAPI_cleanup_eventset(es));
        OK(PAPI_destroy_eventset(&es));
    }
    read_together((int)(size_t)argument);
    OK(PAPI_unregister_thread());
    return NULL;
}

static void libraries_that_come_and_go_in_threads(void **state)
{
    pthread_t thread[THREADS];
    (void)state;
    work_in(PLUGIN, 1); /* counted code is here when the library begins */
    test_init();
    OK(PAPI_thread_init((unsigned long (*)(void))pthread_self));
    EQUAL(pthread_barrier_init(&together, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        EQUAL(pthread_create(&thread[i], NULL, count, (void *)(size_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&together);
    PAPI_shutdown();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_that_come_and_go_in_threads),
    };
    return TEST_RUN(tests);
}
