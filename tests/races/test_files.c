/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shutdowns beside threads that read numbers in files: what such a group reads by is not gone before the
 * group.
 */
#include "race.h"

#include <pthread.h>
#include <stdatomic.h>

enum { READERS = 2, ROUNDS = 300, READS = 200 };

static atomic_int ending;

/* Every call may find the library shut down. */
static void read_once(void)
{
    int es = PAPI_NULL;
    long long value[2];
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&es) != PAPI_OK)
        return;
    if (PAPI_add_named_event(es, "io:::rchar") == PAPI_OK &&
        PAPI_add_named_event(es, "io:::wchar") == PAPI_OK && PAPI_start(es) == PAPI_OK) {
        for (int i = 0; i < READS; i++)
            PAPI_read(es, value);
        PAPI_stop(es, value);
    }
    PAPI_cleanup_eventset(es);
    PAPI_destroy_eventset(&es);
}

static void *reader(void *argument)
{
    (void)argument;
    while (!atomic_load(&ending))
        read_once();
    return NULL;
}

static void shutdowns(void **state)
{
    pthread_t thread[READERS];
    (void)state;
    for (int i = 0; i < READERS; i++)
        CHECK(pthread_create(&thread[i], NULL, reader, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
        test_burn(100000);
        PAPI_shutdown();
    }
    atomic_store(&ending, 1);
    for (int i = 0; i < READERS; i++)
        pthread_join(thread[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shutdowns)};
    return TEST_RUN(tests);
}
