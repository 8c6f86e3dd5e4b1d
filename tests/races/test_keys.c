/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that has all keys of thread-specific data, and gives some back: an error with its reason, and
 * no more than for as long. A thread for which there is no memory at first.
 */
#include "race.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

static pthread_key_t key[PTHREAD_KEYS_MAX];
static int keys;

static void take_all(void)
{
    while (keys < PTHREAD_KEYS_MAX && pthread_key_create(&key[keys], NULL) == 0)
        keys++;
    CHECK(keys > 0);
}

static void *use(void *argument)
{
    (void)argument;
    test_init();
    OK(PAPI_register_thread());
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_destroy_eventset(&es));
    return NULL;
}

static void refused(void)
{
    CODE(PAPI_library_init(PAPI_VER_CURRENT), PAPI_ENOMEM);
    CHECK(strstr(PAPI_strerror(PAPI_ENOMEM), "PTHREAD_KEYS_MAX") != NULL);
    EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
    int es = PAPI_NULL;
    CODE(PAPI_create_eventset(&es), PAPI_ENOINIT);
    EQUAL(es, PAPI_NULL);
    CODE(PAPI_register_thread(), PAPI_ENOMEM);
    PAPI_shutdown();
}

static void all_keys_taken(void **state)
{
    pthread_t threads[8];
    (void)state;
    take_all();
    refused();
    refused();
    EQUAL(pthread_key_delete(key[--keys]), 0);
    for (int i = 0; i < 8; i++)
        threads[i] = race_start(use, NULL);
    for (int i = 0; i < 8; i++)
        race_join(threads[i]);
    /* The library has one key, and only one, although all threads came at once. */
    pthread_key_t one_more;
    CHECK(pthread_key_create(&one_more, NULL) != 0);
    use(NULL);
    PAPI_shutdown();
}

/* ---- the object of a thread cannot be kept at the first try, and at the second it can */

static _Thread_local bool refuse;

__attribute__((visibility("default"))) int pthread_setspecific(pthread_key_t of, const void *value)
{
    static int (*real)(pthread_key_t, const void *);
    if (refuse) {
        refuse = false;
        return ENOMEM;
    }
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_setspecific");
    return real(of, value);
}

static void *register_at_the_second_try(void *argument)
{
    int es = PAPI_NULL;
    (void)argument;
    refuse = true;
    CODE(PAPI_create_eventset(&es), PAPI_ENOMEM);
    EQUAL(refuse, false);
    return use(NULL);
}

static void no_memory_at_first(void **state)
{
    PAPI_thread_id_t ids[4];
    int n = 4;
    (void)state;
    test_init();
    OK(PAPI_register_thread());
    race_join(race_start(register_at_the_second_try, NULL));
    OK(PAPI_list_threads(ids, &n));
    EQUAL(n, 1);
    PAPI_shutdown();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_keys_taken),
                                       cmocka_unit_test(no_memory_at_first)};
    return TEST_RUN(tests);
}
