/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI_INHERIT in the emulator: the counts of all threads of the program and of the processes that it
 * starts, exactly, while they run and after their end; and PAPI_attach to another of its processes.
 */
#include "measure.h"
#include "operations_loop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 6, TURNS = 1000, CHURN = 500 };

static int inherit(int es, int how)
{
    PAPI_option_t option = {0};
    option.inherit.eventset = es;
    option.inherit.inherit = how;
    return PAPI_set_opt(PAPI_INHERIT, &option);
}

static int inherited_set(void)
{
    int es = measure_set((const char *const[]){"PAPI_DP_OPS", NULL});
    OK(inherit(es, PAPI_INHERIT_ALL));
    return es;
}

static pthread_barrier_t worked, read_out, begin;

static void *work(void *number)
{
    long n = *(int *)number;
    if (n < 2)
        pthread_barrier_wait(&begin);
    operations_loop(TURNS * (n + 1));
    pthread_barrier_wait(&worked);
    if (n % 2 == 0) /* the others end before the second reading */
        pthread_barrier_wait(&read_out);
    return NULL;
}

/* Threads are counted; two of them are there before the start. */
static void threads_are_counted(void **state)
{
    int es = inherited_set(), own = measure_set((const char *const[]){"PAPI_DP_OPS", NULL}), number[THREADS];
    long long all = 0, after = 0, mine = 0;
    pthread_t thread[THREADS];
    const long long wanted = OPERATIONS * (long long)TURNS * (THREADS * (THREADS + 1) / 2) + OPERATIONS * 10;
    (void)state;
    pthread_barrier_init(&worked, NULL, THREADS + 1);
    pthread_barrier_init(&read_out, NULL, THREADS / 2 + 1);
    pthread_barrier_init(&begin, NULL, 3);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        if (i == 2) {
            OK(PAPI_start(es));
            OK(PAPI_start(own));
            pthread_barrier_wait(&begin);
        }
        CHECK(pthread_create(&thread[i], NULL, work, &number[i]) == 0);
    }
    operations_loop(10);
    pthread_barrier_wait(&worked);
    OK(PAPI_read(es, &all));
    EQUAL(all, wanted);
    for (int i = 1; i < THREADS; i += 2)
        CHECK(pthread_join(thread[i], NULL) == 0);
    OK(PAPI_read(es, &after));
    EQUAL(after, wanted);
    pthread_barrier_wait(&read_out);
    for (int i = 0; i < THREADS; i += 2)
        CHECK(pthread_join(thread[i], NULL) == 0);
    OK(PAPI_stop(es, &after));
    OK(PAPI_stop(own, &mine));
    EQUAL(after, wanted);
    EQUAL(mine, OPERATIONS * 10);
    test_drop(es);
    test_drop(own);
}

static void *work_a_little(void *unused)
{
    (void)unused;
    operations_loop(1);
    return NULL;
}

static void *read_on(void *set)
{
    (void)set;
    for (int i = 0; i < CHURN; i++)
        CHECK(work_a_little(NULL) == NULL);
    return NULL;
}

/* Threads come and go while the counts are read: none goes back, none is lost. */
static void nothing_is_lost(void **state)
{
    int es = inherited_set();
    long long value = 0, before = 0;
    pthread_t busy, thread;
    (void)state;
    OK(PAPI_start(es));
    CHECK(pthread_create(&busy, NULL, read_on, NULL) == 0);
    for (int i = 0; i < CHURN; i++) {
        CHECK(pthread_create(&thread, NULL, work_a_little, NULL) == 0);
        OK(PAPI_read(es, &value));
        CHECK(value >= before);
        before = value;
        CHECK(pthread_join(thread, NULL) == 0);
    }
    CHECK(pthread_join(busy, NULL) == 0);
    OK(PAPI_stop(es, &value));
    EQUAL(value, OPERATIONS * 2 * (long long)CHURN);
    test_drop(es);
}

/* Counts stay through a change of the form, and what is done while the set is stopped is nobody's. */
static void can_be_changed(void **state)
{
    int es = inherited_set();
    long long value = 0;
    pthread_t thread;
    (void)state;
    for (int round = 0; round < 2; round++) {
        OK(PAPI_start(es));
        CHECK(pthread_create(&thread, NULL, work_a_little, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        operations_loop(2);
        OK(PAPI_stop(es, &value));
        EQUAL(value, round == 0 ? OPERATIONS * 3 : OPERATIONS * 2);
        operations_loop(100);
        OK(inherit(es, round == 0 ? PAPI_INHERIT_NONE : PAPI_INHERIT_ALL));
    }
    OK(PAPI_start(es));
    OK(PAPI_reset(es));
    CHECK(pthread_create(&thread, NULL, work_a_little, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    OK(PAPI_stop(es, &value));
    EQUAL(value, OPERATIONS);
    test_drop(es);
}

static void handler(int es, void *address, long long events, void *context)
{
    (void)es, (void)address, (void)events, (void)context;
}

static void do_not_overflow(void **state)
{
    int es = inherited_set(), code;
    (void)state;
    CHECK(PAPI_event_name_to_code("PAPI_DP_OPS", &code) == PAPI_OK);
    CODE(PAPI_overflow(es, code, 1000000, 0, handler), PAPI_EINVAL);
    test_drop(es);
}

/* A process that the program starts, and one that this starts. */
static void processes_are_counted(void **state)
{
    int es = inherited_set(), status = 0;
    long long value = 0;
    pid_t child;
    (void)state;
    OK(PAPI_start(es));
    child = fork();
    if (child == 0) {
        operations_loop(1000);
        child = fork();
        operations_loop(30);
        _exit(child > 0 && (waitpid(child, &status, 0) != child || status != 0));
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    operations_loop(5);
    OK(PAPI_stop(es, &value));
    EQUAL(value, OPERATIONS * (1000 + 2 * 30 + 5));
    OK(PAPI_start(es)); /* what they counted is not of the next run */
    operations_loop(7);
    OK(PAPI_stop(es, &value));
    EQUAL(value, OPERATIONS * 7);
    test_drop(es);
}

/* ---- attached to a process */

/* A child that works when it is let go, through a process of its own, too. */
static pid_t start_child(int *go)
{
    int ends[2], status = 0;
    char c;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        if (read(ends[0], &c, 1) != 1)
            _exit(1);
        operations_loop(200);
        pid_t other = fork();
        operations_loop(30);
        _exit(other > 0 && (waitpid(other, &status, 0) != other || status != 0));
    }
    close(ends[0]);
    *go = ends[1];
    return child;
}

static void another_process_is_counted(void **state)
{
    int es = inherited_set(), go, status = -1;
    long long value = 0;
    pid_t child = start_child(&go);
    (void)state;
    OK(PAPI_attach(es, (unsigned long)child));
    OK(PAPI_start(es));
    operations_loop(7); /* not the child's */
    CHECK(write(go, "", 1) == 1);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    OK(PAPI_read(es, &value));
    EQUAL(value, OPERATIONS * (200 + 2 * 30));
    OK(PAPI_stop(es, &value));
    EQUAL(value, OPERATIONS * (200 + 2 * 30));
    CODE(PAPI_start(es), PAPI_ECLOST);
    OK(PAPI_detach(es));
    OK(PAPI_start(es));
    operations_loop(7);
    OK(PAPI_stop(es, &value));
    EQUAL(value, OPERATIONS * 7);
    close(go);
    test_drop(es);
}

static void other_processes_are_refused(void **state)
{
    int es = measure_set((const char *const[]){"PAPI_DP_OPS", NULL}), go, status = -1;
    pid_t child = start_child(&go);
    (void)state;
    CODE(PAPI_attach(es, (unsigned long)child), PAPI_ECMP);
    CHECK(strstr(PAPI_strerror(PAPI_ECMP), "PAPI_INHERIT") != NULL);
    OK(inherit(es, PAPI_INHERIT_ALL));
    OK(PAPI_attach(es, (unsigned long)child));
    CODE(inherit(es, PAPI_INHERIT_NONE), PAPI_ECMP);
    CODE(PAPI_attach(es, (unsigned long)getppid()), PAPI_ECMP); /* papi_emulate itself */
    CHECK(strstr(PAPI_strerror(PAPI_ECMP), "papi_emulate --report") != NULL);
    CHECK(write(go, "", 1) == 1);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    OK(PAPI_detach(es));
    CODE(PAPI_attach(es, 4194304), PAPI_EINVAL); /* above the largest number of a process */
    close(go);
    test_drop(es);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_counted),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(can_be_changed),
        cmocka_unit_test(do_not_overflow),
        cmocka_unit_test(processes_are_counted),
        cmocka_unit_test(another_process_is_counted),
        cmocka_unit_test(other_processes_are_refused),
    };
    return TEST_RUN(tests);
}
