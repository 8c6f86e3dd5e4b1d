/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Forks at any point: while other threads hold the library's lock, from threads that count, and from
 * handlers of overflows. The child uses the library from the beginning to the end.
 */
#include "race.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOCKERS = 3, FORKERS = 2, PATIENCE = 120 /* seconds, for a child that waits for ever */ };

static atomic_bool over;
static atomic_int forks;

/* ---- the child */

static void own_counts(void)
{
    long long values[2];
    int es = test_set(FAULTS, MINOR, NULL);
    OK(PAPI_start(es));
    test_touch_pages(10);
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= 10);
    test_drop(es);
}

/* The child has none of the parent's event sets, and can shut the library down and initialise it again. */
static void live(int parents_set, int parents_code)
{
    long long values[4];
    alarm(PATIENCE);
    if (parents_set != PAPI_NULL) {
        CODE(PAPI_read(parents_set, values), parents_code);
        CHECK(PAPI_stop(parents_set, values) != PAPI_OK);
    }
    own_counts();
    OK(PAPI_lock(PAPI_LOCK_USR1));
    OK(PAPI_unlock(PAPI_LOCK_USR1));
    PAPI_shutdown();
    test_init();
    own_counts();
    PAPI_shutdown();
    EQUAL(race_mappings(), 0);
    _exit(0);
}

static void wait_for_child(pid_t child)
{
    int status = 0;
    EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    EQUAL(WEXITSTATUS(status), 0);
    atomic_fetch_add(&forks, 1);
}

static void fork_once(int es, int code)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        live(es, code);
    wait_for_child(child);
}

/* ---- threads that are in the library all the time */

static atomic_int holding;

static void *hold_the_lock(void *argument)
{
    (void)argument;
    OK(PAPI_register_thread());
    atomic_fetch_add(&holding, 1);
    while (!atomic_load(&over)) {
        PAPI_event_info_t info;
        test_drop(test_set(FAULTS, CLOCK, NULL));
        PAPI_get_event_info(PAPI_TOT_INS, &info);
        OK(PAPI_lock(PAPI_LOCK_USR1));
        OK(PAPI_unlock(PAPI_LOCK_USR1));
    }
    return NULL;
}

/* All of them are known to the library before a fork: what a thread that the child does not have had asked
 * for and not yet kept is lost there. */
static void start_lockers(pthread_t *threads)
{
    atomic_store(&over, false);
    atomic_store(&holding, 0);
    for (int i = 0; i < LOCKERS; i++)
        threads[i] = race_start(hold_the_lock, NULL);
    while (atomic_load(&holding) < LOCKERS)
        sched_yield();
}

static void *fork_and_count(void *argument)
{
    long long values[1];
    int es = test_set(FAULTS, NULL);
    OK(PAPI_start(es));
    atomic_fetch_add(&holding, 1);
    while (atomic_load(&holding) < LOCKERS + FORKERS)
        sched_yield();
    for (int round = *(int *)argument; round > 0; round--)
        fork_once(es, PAPI_ECLOST);
    OK(PAPI_stop(es, values));
    test_drop(es);
    return NULL;
}

static void while_others_hold_the_lock(void **state)
{
    pthread_t threads[LOCKERS], forker;
    int rounds = race_rounds(40);
    (void)state;
    NEED_SOFTWARE_EVENTS();
    start_lockers(threads);
    forker = race_start(fork_and_count, &rounds);
    fork_and_count(&rounds);
    race_join(forker);
    atomic_store(&over, true);
    for (int i = 0; i < LOCKERS; i++)
        race_join(threads[i]);
    PAPI_shutdown();
}

/* ---- from handlers */

/* The interrupted program computes: it is not in malloc, which a child of a handler needs. */
static void fork_in_handler(int es, void *address, long long vector, void *context)
{
    (void)address, (void)vector, (void)context;
    fork_once(es, PAPI_ECLOST);
}

static void *be_forked_by_handler(void *argument)
{
    int es = test_set(race_event(), NULL), before = atomic_load(&forks);
    OK(PAPI_overflow(es, test_code_of(race_event()), race_threshold(), *(int *)argument, fork_in_handler));
    OK(PAPI_start(es));
    while (atomic_load(&forks) < before + 5)
        race_compute();
    PAPI_stop(es, NULL);
    test_drop(es);
    return NULL;
}

static void in_handlers(void **state)
{
    int forms[] = {0, PAPI_OVERFLOW_FORCE_SW};
    pthread_t threads[LOCKERS];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    start_lockers(threads);
    for (int round = race_rounds(8); round > 0; round--)
        for (int form = 0; form < 2; form++)
            race_join(race_start(be_forked_by_handler, &forms[form]));
    atomic_store(&over, true);
    for (int i = 0; i < LOCKERS; i++)
        race_join(threads[i]);
    PAPI_shutdown();
}

/* ---- beside a thread that shuts the library down and starts it again */

static void *live_and_die(void *argument)
{
    (void)argument;
    while (!atomic_load(&over)) {
        test_init();
        PAPI_shutdown();
    }
    return NULL;
}

static void beside_shutdowns(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    atomic_store(&over, false);
    pthread_t thread = race_start(live_and_die, NULL);
    for (int round = race_rounds(60); round > 0; round--) {
        test_init();
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            test_init();
            live(PAPI_NULL, PAPI_OK);
        }
        wait_for_child(child);
    }
    atomic_store(&over, true);
    race_join(thread);
    PAPI_shutdown();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(while_others_hold_the_lock),
        cmocka_unit_test(in_handlers),
        cmocka_unit_test(beside_shutdowns),
    };
    return TEST_RUN(tests);
}
