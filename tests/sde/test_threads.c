/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two libraries register a thousand counters each from eight threads, while another thread reads.
 */
#include "events.h"
#include "library.h"
#include "sde_lib.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, EACH = LIBRARY_COUNTERS / THREADS, ADDS = 20, SET = 50 };

static _Atomic int registered, stop_reading;

static void *register_and_count(void *argument)
{
    int from = (int)(intptr_t)argument * EACH;
    EQUAL(first_register(from, EACH) + second_register(from, EACH), 0);
    registered++;
    while (registered <= THREADS) /* until the reader has started its sets */
        usleep(100);
    for (int round = 0; round < ADDS; round++)
        for (int i = 0; i < LIBRARY_COUNTERS; i++) {
            first_add(i, 1);
            second_add(i, 2);
        }
    return NULL;
}

static int set_from(const char *library, int from)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    for (int i = from; i < from + SET; i++) {
        char name[64];
        snprintf(name, sizeof name, "sde:::%s::c%d", library, i);
        OK(PAPI_add_named_event(es, name));
    }
    return es;
}

enum { SETS = 2 * LIBRARY_COUNTERS / SET };

static void begin_sets(int set[SETS])
{
    int code = PAPI_NATIVE_MASK, component = PAPI_get_component_index("sde");
    while (registered < THREADS) /* the list may be read as it grows */
        PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
    for (int i = 0; i < SETS; i++) {
        set[i] = set_from(i < SETS / 2 ? "first" : "second", i % (SETS / 2) * SET);
        OK(PAPI_start(set[i]));
    }
    registered++;
}

/* Values never become less. */
static void read_sets(const int set[SETS], long long last[SETS][SET])
{
    for (int i = 0; i < SETS; i++) {
        long long value[SET];
        OK(PAPI_read(set[i], value));
        for (int k = 0; k < SET; k++)
            CHECK(value[k] >= last[i][k]);
        memcpy(last[i], value, sizeof value);
    }
}

static void *read_all(void *argument)
{
    static long long last[SETS][SET];
    int set[SETS];
    (void)argument;
    begin_sets(set);
    while (!stop_reading)
        read_sets(set, last);
    for (int i = 0; i < SETS; i++) {
        OK(PAPI_stop(set[i], last[i]));
        for (int k = 0; k < SET; k++)
            EQUAL(last[i][k], THREADS * ADDS * (i < SETS / 2 ? 1 : 2));
    }
    return NULL;
}

static unsigned long id_of_thread(void)
{
    return (unsigned long)pthread_self();
}

static void eight_register_one_reads(void **state)
{
    pthread_t thread[THREADS], reader;
    (void)state;
    OK(PAPI_thread_init(id_of_thread));
    pthread_create(&reader, NULL, read_all, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, register_and_count, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    stop_reading = 1;
    pthread_join(reader, NULL);
}

/* ---- memory that is given back */

static _Atomic int rounds_left;

static void *come_and_go(void *argument)
{
    papi_handle_t handle = papi_sde_init("passing");
    (void)argument;
    while (rounds_left-- > 0) {
        _Atomic long long *counter = malloc(sizeof *counter);
        *counter = 7;
        EQUAL(papi_sde_register_counter(handle, "counter", PAPI_SDE_INSTANT, PAPI_SDE_long_long,
                                        (void *)counter),
              SDE_OK);
        EQUAL(papi_sde_unregister_counter(handle, "counter"), SDE_OK);
        *counter = 1; /* nobody sees this */
        free((void *)counter);
    }
    return NULL;
}

static void nobody_reads_what_is_unregistered(void **state)
{
    static long long number = 7;
    pthread_t thread;
    long long value;
    (void)state;
    papi_sde_register_counter(papi_sde_init("passing"), "counter", PAPI_SDE_INSTANT, PAPI_SDE_long_long,
                              &number);
    int es = set_of_one("sde:::passing::counter");
    OK(PAPI_start(es));
    rounds_left = 500;
    pthread_create(&thread, NULL, come_and_go, NULL);
    while (rounds_left > 0) {
        OK(PAPI_read(es, &value));
        EQUAL(value, 7);
    }
    pthread_join(thread, NULL);
    OK(PAPI_stop(es, &value));
}

/* ---- who unregisters, beside a reader */

enum { RECORDS = 2000, ENDS = 20, ALTERNATIONS = 5, MOST_READINGS = 2000 };

/* A reading that takes the registry's lock many times. */
static long long record_much(void *recorder)
{
    for (int i = 0; i < RECORDS; i++)
        papi_sde_record(recorder, sizeof i, &i);
    papi_sde_reset_recorder(recorder);
    return 1;
}

/* As often as end_often waits, for a little more than a reading each time. */
static void *pause_often(void *argument)
{
    const struct timespec pause = {0, 50000};
    (void)argument;
    for (; rounds_left > 0; rounds_left--)
        for (int i = 0; i < 2; i++)
            nanosleep(&pause, NULL);
    return NULL;
}

static void *end_often(void *argument)
{
    static long long number;
    papi_handle_t handle = papi_sde_init("brief");
    (void)argument;
    for (; rounds_left > 0; rounds_left--) {
        EQUAL(papi_sde_register_counter(handle, "n", PAPI_SDE_INSTANT, PAPI_SDE_long_long, &number), SDE_OK);
        EQUAL(papi_sde_unregister_counter(handle, "n"), SDE_OK);
    }
    return NULL;
}

/* The number of readings, without a pause, until another thread is through. */
static int readings_beside(void *(*body)(void *), int es)
{
    pthread_t thread;
    long long value;
    int n = 0;
    rounds_left = ENDS;
    EQUAL(pthread_create(&thread, NULL, body, NULL), 0);
    for (; rounds_left > 0 && n < MOST_READINGS; n++)
        OK(PAPI_read(es, &value));
    pthread_join(thread, NULL);
    return n;
}

static void stay_on(const cpu_set_t *cpus)
{
    EQUAL(pthread_setaffinity_np(pthread_self(), sizeof *cpus, cpus), 0);
}

/* Unregistering neither waits for readings that begin meanwhile nor fights with them for the lock or the
 * processor: it takes about as long as a thread that merely sleeps, also where both threads share a
 * processor. */
static void who_unregisters_waits_for_one_reading(void **state)
{
    enum { MOST_TIMES = 6 };
    void *recorder;
    int waiting = 0, sleeping = 0;
    cpu_set_t all, one;
    (void)state;
    EQUAL(pthread_getaffinity_np(pthread_self(), sizeof all, &all), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    papi_handle_t handle = papi_sde_init("waited");
    EQUAL(papi_sde_create_recorder(handle, "r", sizeof(int), papi_sde_compare_int, &recorder), SDE_OK);
    EQUAL(papi_sde_register_fp_counter(handle, "f", PAPI_SDE_INSTANT, PAPI_SDE_long_long, record_much,
                                       recorder),
          SDE_OK);
    int es = set_of_one("sde:::waited::f");
    OK(PAPI_start(es));
    stay_on(&one);
    for (int i = 0; i < ALTERNATIONS; i++) {
        waiting += readings_beside(end_often, es);
        sleeping += readings_beside(pause_often, es);
    }
    stay_on(&all);
    if (waiting > MOST_TIMES * (sleeping + ENDS))
        fail_msg("%d readings beside a thread that unregisters, %d beside one that sleeps", waiting,
                 sleeping);
    OK(PAPI_stop(es, NULL));
}

static void *end_sums(void *argument)
{
    papi_handle_t handle = papi_sde_init("summed");
    (void)argument;
    while (rounds_left > 0) {
        papi_sde_add_counter_to_group(handle, "part", "sum", PAPI_SDE_SUM);
        papi_sde_unregister_counter(handle, "sum");
    }
    return NULL;
}

/* The last value of a group is that of its members, which others unregister and free meanwhile. */
static void a_group_ends_beside_its_member(void **state)
{
    pthread_t thread;
    (void)state;
    papi_handle_t handle = papi_sde_init("summed");
    rounds_left = 500;
    pthread_create(&thread, NULL, end_sums, NULL);
    while (rounds_left-- > 0) {
        long long *counter = calloc(1, sizeof *counter);
        EQUAL(papi_sde_register_counter(handle, "part", PAPI_SDE_INSTANT, PAPI_SDE_long_long, counter),
              SDE_OK);
        sched_yield();
        EQUAL(papi_sde_unregister_counter(handle, "part"), SDE_OK);
        *counter = 1; /* nobody sees this */
        free(counter);
    }
    pthread_join(thread, NULL);
}

static void *record_many(void *argument)
{
    for (int i = 0; i < 2000; i++) {
        int value = i;
        papi_sde_record(argument, sizeof value, &value);
    }
    return NULL;
}

static void eight_record_one_reads(void **state)
{
    pthread_t thread[THREADS];
    void *recorder = NULL;
    long long count = 0;
    (void)state;
    papi_handle_t handle = papi_sde_init("recording");
    EQUAL(papi_sde_create_recorder(handle, "r", sizeof(int), papi_sde_compare_int, &recorder), SDE_OK);
    int es = set_of_one("sde:::recording::r:CNT");
    int quantiles = set_of_one("sde:::recording::r:MAX");
    OK(PAPI_start(es));
    OK(PAPI_start(quantiles));
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, record_many, recorder);
    while (count < THREADS * 2000) {
        long long max;
        OK(PAPI_read(quantiles, &max));
        OK(PAPI_read(es, &count));
        CHECK(max == 0 || *GET_SDE_RECORDER_ADDRESS(max, int) < 2000);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    EQUAL(*GET_SDE_RECORDER_ADDRESS(level_of("sde:::recording::r:MED"), int), 1000);
    OK(PAPI_stop(es, &count));
    OK(PAPI_stop(quantiles, &count));
}

/* ---- fork */

static int in_child(int es, papi_handle_t handle, long long *number)
{
    long long value = 0;
    if (PAPI_read(es, &value) != PAPI_ECLOST || PAPI_cleanup_eventset(es) != PAPI_OK)
        return 1;
    int own = PAPI_NULL;
    if (PAPI_create_eventset(&own) != PAPI_OK || PAPI_add_named_event(own, "sde:::forking::n") != PAPI_OK ||
        PAPI_start(own) != PAPI_OK)
        return 2;
    *number += 3;
    if (papi_sde_unregister_counter(handle, "n") != SDE_OK)
        return 3;
    return PAPI_stop(own, &value) == PAPI_OK && value == 3 ? 0 : 4;
}

static void a_child_has_sets_of_its_own(void **state)
{
    static long long number;
    int status = -1;
    (void)state;
    papi_handle_t handle = papi_sde_init("forking");
    papi_sde_register_counter(handle, "n", PAPI_SDE_DELTA, PAPI_SDE_long_long, &number);
    int es = set_of_one("sde:::forking::n");
    OK(PAPI_start(es));
    pid_t child = fork();
    if (child == 0)
        _exit(in_child(es, handle, &number));
    waitpid(child, &status, 0);
    EQUAL(status, 0);
    EQUAL(read_code(es), PAPI_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_LIBRARY(eight_register_one_reads),       IN_LIBRARY(nobody_reads_what_is_unregistered),
        IN_LIBRARY(a_group_ends_beside_its_member), IN_LIBRARY(eight_record_one_reads),
        IN_LIBRARY(a_child_has_sets_of_its_own),    IN_LIBRARY(who_unregisters_waits_for_one_reading),
    };
    return TEST_RUN(tests);
}
