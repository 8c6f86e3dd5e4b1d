/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: PAPI_lock, PAPI_unlock, PAPI_list_threads.
 */
#include "program.h"

#include <pthread.h>

static long shared[2];

static void add(int lock, int which)
{
    volatile long old;
    PAPI_lock(lock);
    old = shared[which];
    shared[which] = old + 1;
    PAPI_unlock(lock);
}

static void *work(void *argument)
{
    int i;
    OK(PAPI_register_thread());
    for (i = 0; i < 10000; i++) {
        add(PAPI_USR1_LOCK, 0);
        add(PAPI_USR2_LOCK, 1);
    }
    OK(PAPI_unregister_thread());
    return argument;
}

static unsigned long number(void)
{
    return (unsigned long)pthread_self();
}

static void list_threads(void)
{
    PAPI_thread_id_t id[8];
    int n = 8, i, found = 0;
    OK(PAPI_list_threads(id, &n));
    CHECK(n >= 1 && n <= 8);
    for (i = 0; i < n; i++)
        found += id[i] == number();
    CHECK(found == 1);
    i = 0;
    OK(PAPI_list_threads(NULL, &i));
    CHECK(i == n);
    CODE(PAPI_list_threads(id, NULL), PAPI_EINVAL);
}

int main(void)
{
    pthread_t threads[3];
    int i;
    CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    OK(PAPI_thread_init(number));
    OK(PAPI_register_thread());
    CHECK(PAPI_NUM_LOCK == 2);
    for (i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (i = 0; i < 3; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(shared[0] == 30000 && shared[1] == 30000);
    list_threads();
    PAPI_shutdown();
    return 0;
}
