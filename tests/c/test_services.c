/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services of the library beside counting: the list of threads, locks, the program's own
 * handler of errors, and the devices.
 */
#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- threads */

enum { THREADS = 6 };

/* A thread that does one thing when told, and ends when told. */
struct worker {
    pthread_t thread;
    sem_t go, done;
    void (*work)(struct worker *);
    unsigned long number;
    long tid;
    int code;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    worker->tid = syscall(SYS_gettid);
    for (;;) {
        sem_wait(&worker->go);
        if (worker->work == NULL)
            return NULL;
        worker->work(worker);
        sem_post(&worker->done);
    }
}

static void start(struct worker *worker, unsigned long number)
{
    memset(worker, 0, sizeof *worker);
    worker->number = number;
    sem_init(&worker->go, 0, 0);
    sem_init(&worker->done, 0, 0);
    EQUAL(pthread_create(&worker->thread, NULL, work, worker), 0);
}

static void begin(struct worker *worker, void (*what)(struct worker *))
{
    worker->work = what;
    sem_post(&worker->go);
}

static void tell(struct worker *worker, void (*what)(struct worker *))
{
    begin(worker, what);
    sem_wait(&worker->done);
}

static void end(struct worker *worker)
{
    begin(worker, NULL);
    pthread_join(worker->thread, NULL);
    sem_destroy(&worker->go);
    sem_destroy(&worker->done);
}

static _Thread_local struct worker *me;

static unsigned long number_of_this_thread(void)
{
    return me != NULL ? me->number : 1000;
}

static void register_it(struct worker *worker)
{
    me = worker;
    worker->code = PAPI_register_thread();
}

static void unregister_it(struct worker *worker)
{
    worker->code = PAPI_unregister_thread();
}

static void create_a_set(struct worker *worker)
{
    int es = PAPI_NULL;
    me = worker;
    worker->code = PAPI_create_eventset(&es);
}

static void ask_its_number(struct worker *worker)
{
    worker->code = PAPI_thread_id() != worker->number;
}

static int listed(unsigned long number)
{
    unsigned long ids[64];
    int n = 64, found = 0;
    OK(PAPI_list_threads(ids, &n));
    CHECK(n <= 64);
    for (int i = 0; i < n; i++)
        found += ids[i] == number;
    return found;
}

static int threads_listed(void)
{
    int n = 0;
    OK(PAPI_list_threads(NULL, &n));
    return n;
}

static void threads_by_their_own_numbers(void **state)
{
    struct worker worker[THREADS];
    unsigned long ids[THREADS + 2];
    int n;
    (void)state;
    PAPI_shutdown();
    test_init();
    OK(PAPI_thread_init(number_of_this_thread));
    EQUAL(threads_listed(), 1);
    EQUAL(listed(1000), 1);
    for (int i = 0; i < THREADS; i++)
        start(&worker[i], (unsigned long)(2000 + i));
    EQUAL(threads_listed(), 1); /* they are, but have not called the library */
    for (int i = 0; i < THREADS; i++) {
        tell(&worker[i], i & 1 ? register_it : create_a_set);
        OK(worker[i].code);
        EQUAL(threads_listed(), i + 2);
        EQUAL(listed((unsigned long)(2000 + i)), 1);
    }
    /* A smaller array gets what it holds, and is not written over. */
    memset(ids, 0x55, sizeof ids);
    n = 3;
    OK(PAPI_list_threads(ids, &n));
    EQUAL(n, THREADS + 1);
    for (int i = 0; i < 3; i++)
        CHECK(ids[i] == 1000 || (ids[i] >= 2000 && ids[i] < 2000 + THREADS));
    EQUAL(ids[3], (unsigned long)0x5555555555555555ULL);
    n = 0;
    OK(PAPI_list_threads(ids, &n));
    EQUAL(n, THREADS + 1);
    tell(&worker[0], unregister_it);
    OK(worker[0].code);
    EQUAL(listed(2000), 0);
    EQUAL(threads_listed(), THREADS);
    for (int i = 0; i < THREADS; i++) {
        end(&worker[i]);
        EQUAL(listed((unsigned long)(2000 + i)), 0);
        EQUAL(threads_listed(), i == 0 ? THREADS : THREADS - i);
    }
    PAPI_shutdown();
}

/* Threads have the kernel's numbers if the program gives none; numbers that it declares late replace them. */
static void threads_by_the_kernels_numbers(void **state)
{
    struct worker worker;
    (void)state;
    test_init();
    start(&worker, 77);
    tell(&worker, register_it);
    EQUAL(threads_listed(), 2);
    EQUAL(listed((unsigned long)getpid()), 1);
    EQUAL(listed((unsigned long)worker.tid), 1);
    OK(PAPI_thread_init(number_of_this_thread));
    EQUAL(listed(1000), 1);
    EQUAL(listed((unsigned long)getpid()), 0);
    EQUAL(listed((unsigned long)worker.tid), 1);
    tell(&worker, ask_its_number);
    OK(worker.code);
    EQUAL(listed((unsigned long)worker.tid), 0);
    EQUAL(listed(77), 1);
    worker.number = 78;
    tell(&worker, register_it);
    EQUAL(listed(77), 0);
    EQUAL(listed(78), 1);
    end(&worker);
    PAPI_shutdown();
}

static void list_in_the_child(void *argument)
{
    EQUAL(threads_listed(), 1);
    EQUAL(listed((unsigned long)(argument != NULL ? 1000 : getpid())), 1);
}

static void threads_of_a_child(void **state)
{
    struct worker worker;
    (void)state;
    test_init();
    start(&worker, 5);
    tell(&worker, register_it);
    EQUAL(threads_listed(), 2);
    test_in_child(list_in_the_child, NULL);
    OK(PAPI_thread_init(number_of_this_thread));
    test_in_child(list_in_the_child, "");
    end(&worker);
    PAPI_shutdown();
}

static void keep_its_address(struct worker *worker)
{
    me = worker;
    worker->code = PAPI_set_thr_specific(PAPI_TLS_USR2, worker);
}

static void pointers_of_all_threads(void **state)
{
    struct worker worker[THREADS];
    unsigned long ids[THREADS + 1];
    void *data[THREADS + 1];
    PAPI_all_thr_spec_t all = {THREADS + 1, ids, data};
    int own = 0;
    (void)state;
    test_init();
    OK(PAPI_thread_init(number_of_this_thread));
    OK(PAPI_set_thr_specific(PAPI_TLS_USR1, &own));
    for (int i = 0; i < THREADS; i++) {
        start(&worker[i], (unsigned long)i);
        tell(&worker[i], keep_its_address);
        OK(worker[i].code);
    }
    memset(data, 0x55, sizeof data);
    OK(PAPI_get_thr_specific(PAPI_TLS_USR2 | PAPI_TLS_ALL_THREADS, (void **)&all));
    EQUAL(all.num, THREADS + 1);
    for (int i = 0; i <= THREADS; i++) {
        if (ids[i] == 1000)
            CHECK(data[i] == NULL);
        else
            CHECK(ids[i] < THREADS && data[i] == &worker[ids[i]]);
    }
    OK(PAPI_get_thr_specific(PAPI_TLS_USR1 | PAPI_TLS_ALL_THREADS, (void **)&all));
    for (int i = 0; i <= THREADS; i++)
        CHECK(data[i] == (ids[i] == 1000 ? &own : NULL));
    /* Either array alone, and too little room. */
    memset(ids, 0x55, sizeof ids);
    all = (PAPI_all_thr_spec_t){2, ids, NULL};
    OK(PAPI_get_thr_specific(PAPI_TLS_USR1 | PAPI_TLS_ALL_THREADS, (void **)&all));
    EQUAL(all.num, THREADS + 1);
    CHECK(ids[1] <= 1000 && ids[2] == (unsigned long)0x5555555555555555ULL);
    all = (PAPI_all_thr_spec_t){0, NULL, NULL};
    OK(PAPI_get_thr_specific(PAPI_TLS_ALL_THREADS, (void **)&all));
    EQUAL(all.num, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        end(&worker[i]);
    PAPI_shutdown();
}

/* ---- locks */

static long plain[2];

static void *add_under_both_locks(void *argument)
{
    for (int i = 0; i < 20000; i++) {
        int lock = i & 1 ? PAPI_LOCK_USR1 : PAPI_LOCK_USR2;

        OK(PAPI_lock(lock));
        plain[lock]++;
        OK(PAPI_unlock(lock));
    }
    return argument;
}

static void locks_exclude(void **state)
{
    pthread_t threads[4];
    (void)state;
    plain[0] = plain[1] = 0;
    for (int i = 0; i < 4; i++)
        EQUAL(pthread_create(&threads[i], NULL, add_under_both_locks, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    EQUAL(plain[PAPI_LOCK_USR1], 40000);
    EQUAL(plain[PAPI_LOCK_USR2], 40000);
}

static atomic_int got;

static void lock_it(struct worker *worker)
{
    worker->code = PAPI_lock(PAPI_LOCK_USR1);
    atomic_store(&got, 1);
}

static void lock_the_other(struct worker *worker)
{
    worker->code = PAPI_lock(PAPI_LOCK_USR2);
}

static void unlock_it(struct worker *worker)
{
    worker->code = PAPI_unlock(PAPI_LOCK_USR1);
}

static void unlock_the_other(struct worker *worker)
{
    worker->code = PAPI_unlock(PAPI_LOCK_USR2);
}

static void waits(struct worker *worker)
{
    atomic_store(&got, 0);
    begin(worker, lock_it);
    usleep(20000);
    EQUAL(atomic_load(&got), 0);
}

static void locks_have_owners(void **state)
{
    struct worker worker;
    (void)state;
    PAPI_shutdown();
    start(&worker, 0);
    for (int library = 0; library < 2; library++) {
        OK(PAPI_lock(PAPI_LOCK_USR1));
        tell(&worker, unlock_it);
        EQUAL(worker.code, PAPI_EPERM);
        tell(&worker, lock_the_other);
        OK(worker.code);
        CODE(PAPI_unlock(PAPI_LOCK_USR2), PAPI_EPERM);
        tell(&worker, unlock_the_other);
        OK(worker.code);
        waits(&worker); /* the refused unlock left it */
        OK(PAPI_unlock(PAPI_LOCK_USR1));
        sem_wait(&worker.done);
        OK(worker.code);
        EQUAL(atomic_load(&got), 1);
        CODE(PAPI_unlock(PAPI_LOCK_USR1), PAPI_EPERM);
        tell(&worker, unlock_it);
        OK(worker.code);
        tell(&worker, unlock_it);
        EQUAL(worker.code, PAPI_EPERM);
        test_init();
    }
    end(&worker);
    PAPI_shutdown();
}

static void locks_are_taken_again(void **state)
{
    struct worker worker;
    (void)state;
    start(&worker, 0);
    for (int i = 0; i < 3; i++)
        OK(PAPI_lock(PAPI_LOCK_USR1));
    waits(&worker);
    for (int i = 0; i < 2; i++) {
        OK(PAPI_unlock(PAPI_LOCK_USR1));
        usleep(10000);
        EQUAL(atomic_load(&got), 0);
    }
    OK(PAPI_unlock(PAPI_LOCK_USR1));
    sem_wait(&worker.done);
    tell(&worker, unlock_it);
    OK(worker.code);
    end(&worker);
}

static void locks_outlive(void **state)
{
    struct worker worker;
    (void)state;
    OK(PAPI_lock(PAPI_LOCK_USR1));
    test_init();
    PAPI_shutdown();
    OK(PAPI_unlock(PAPI_LOCK_USR1)); /* neither took it away */
    /* A thread that ends gives back all locks that it took. */
    start(&worker, 0);
    tell(&worker, lock_it);
    tell(&worker, lock_it);
    end(&worker);
    OK(PAPI_lock(PAPI_LOCK_USR1));
    OK(PAPI_unlock(PAPI_LOCK_USR1));
    CODE(PAPI_unlock(PAPI_LOCK_USR1), PAPI_EPERM);
}

static void use_the_locks(void *argument)
{
    (void)argument;
    OK(PAPI_unlock(PAPI_LOCK_USR2)); /* this thread's own, as it was before the fork */
    for (int i = 0; i < 2; i++) {
        OK(PAPI_lock(PAPI_LOCK_USR1));
        OK(PAPI_lock(PAPI_LOCK_USR2));
        OK(PAPI_unlock(PAPI_LOCK_USR1));
        OK(PAPI_unlock(PAPI_LOCK_USR2));
    }
    CODE(PAPI_unlock(PAPI_LOCK_USR1), PAPI_EPERM);
}

static void locks_of_a_child(void **state)
{
    struct worker worker;
    (void)state;
    test_init();
    start(&worker, 0);
    tell(&worker, register_it);
    tell(&worker, lock_it);
    tell(&worker, lock_it);
    OK(PAPI_lock(PAPI_LOCK_USR2));
    test_in_child(use_the_locks, NULL);
    OK(PAPI_unlock(PAPI_LOCK_USR2));
    tell(&worker, unlock_it);
    tell(&worker, unlock_it);
    OK(worker.code);
    end(&worker);
    PAPI_shutdown();
}

/* A handler that comes anywhere in the code that takes and gives the lock. */
static atomic_long handled;
static atomic_int inside;

static void lock_in_a_handler(int signal_number)
{
    (void)signal_number;
    if (PAPI_lock(PAPI_LOCK_USR1) != PAPI_OK)
        abort();
    atomic_fetch_add(&handled, 1);
    if (PAPI_unlock(PAPI_LOCK_USR1) != PAPI_OK)
        abort();
}

static void *lock_under_signals(void *argument)
{
    /* The plain count is the interrupted code's alone, and no other thread's. */
    while (atomic_load(&handled) < 300) {
        OK(PAPI_lock(PAPI_LOCK_USR1));
        EQUAL(atomic_fetch_add(&inside, 1), 0);
        plain[0]++;
        EQUAL(atomic_fetch_sub(&inside, 1), 1);
        OK(PAPI_unlock(PAPI_LOCK_USR1));
    }
    return argument;
}

static void locks_in_handlers(void **state)
{
    struct sigaction action = {.sa_handler = lock_in_a_handler, .sa_flags = SA_RESTART}, before;
    struct itimerval timer = {{0, 500}, {0, 500}}, stop = {{0, 0}, {0, 0}};
    pthread_t threads[3];
    (void)state;
    atomic_store(&handled, 0);
    sigaction(SIGPROF, &action, &before);
    setitimer(ITIMER_PROF, &timer, NULL);
    for (int i = 0; i < 3; i++)
        EQUAL(pthread_create(&threads[i], NULL, lock_under_signals, NULL), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_PROF, &stop, NULL);
    sigaction(SIGPROF, &before, NULL);
    OK(PAPI_lock(PAPI_LOCK_USR1));
    OK(PAPI_unlock(PAPI_LOCK_USR1));
    CODE(PAPI_unlock(PAPI_LOCK_USR1), PAPI_EPERM); /* free: nothing was counted twice */
}

static atomic_long overflows;

static void lock_in_an_overflow(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
    lock_in_a_handler(0);
    atomic_fetch_add(&overflows, 1);
}

static void locks_in_overflow_handlers(void **state)
{
    long long value;
    int es, code;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    code = PAPI_overflow(es, test_code_of(FAULTS), 10, 0, lock_in_an_overflow);
    if (code == PAPI_ENOSUPP)
        SKIP("%s", PAPI_strerror(code));
    OK(code);
    OK(PAPI_start(es));
    OK(PAPI_lock(PAPI_LOCK_USR1));
    test_touch_pages(1000);
    OK(PAPI_unlock(PAPI_LOCK_USR1));
    OK(PAPI_stop(es, &value));
    CHECK(atomic_load(&overflows) >= 90);
    CODE(PAPI_unlock(PAPI_LOCK_USR1), PAPI_EPERM);
    test_drop(es);
}

/* ---- errors */

static int errors_told, last_told, nested;
static char told_text[PAPI_HUGE_STR_LEN];

static int note_error(int code)
{
    errors_told++;
    last_told = code;
    snprintf(told_text, sizeof told_text, "%s", PAPI_strerror(code));
    errno = 0;
    if (nested) /* fails, and must not come back here */
        CODE(PAPI_query_named_event("perf::ANOTHER"), PAPI_ENOEVNT);
    return 12345;
}

static void handle(int level, PAPI_debug_handler_t handler)
{
    PAPI_option_t option, now;
    memset(&option, 0, sizeof option);
    option.debug.level = level;
    option.debug.handler = handler;
    OK(PAPI_set_opt(PAPI_DEBUG, &option));
    OK(PAPI_get_opt(PAPI_DEBUG, &now));
    EQUAL(now.debug.level, level);
    CHECK(now.debug.handler == handler);
}

/* The call told its code, once, and its reason. */
static void told(int code, const char *text)
{
    EQUAL(errors_told, 1);
    EQUAL(last_told, code);
    CHECK(strstr(told_text, text) != NULL);
    CHECK(strcmp(PAPI_strerror(code), told_text) == 0);
    errors_told = 0;
}

static PAPI_option_t bad_domain(int component)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.defdomain.def_cidx = component;
    return option;
}

static void each_error_is_told_once(void **state)
{
    PAPI_option_t option = bad_domain(0), nothing = bad_domain(99);
    char text[8];
    (void)state;
    test_init();
    errors_told = nested = 0;
    handle(PAPI_VERB_ECONT, note_error);
    EQUAL(errors_told, 0);
    CODE(PAPI_query_event(0), PAPI_EINVAL);
    told(PAPI_EINVAL, "code");
    CODE(PAPI_query_named_event("perf::NO-SUCH-EVENT"), PAPI_ENOEVNT);
    told(PAPI_ENOEVNT, "NO-SUCH-EVENT");
    CODE(PAPI_start(4711), PAPI_ENOEVST);
    told(PAPI_ENOEVST, "4711");
    CODE(PAPI_set_opt(PAPI_DEFDOM, &option), PAPI_EINVAL);
    told(PAPI_EINVAL, "domain");
    CODE(PAPI_set_opt(PAPI_DEFDOM, &nothing), PAPI_ENOCMP);
    told(PAPI_ENOCMP, "99");
    CODE(PAPI_set_opt(PAPI_DEFGRN, &nothing), PAPI_ENOCMP);
    told(PAPI_ENOCMP, "99");
    CODE(PAPI_set_domain(0), PAPI_EINVAL);
    told(PAPI_EINVAL, "domain");
    CODE(PAPI_get_cmp_opt(PAPI_COMPONENTINFO, &option, 99), PAPI_ENOCMP);
    told(PAPI_ENOCMP, "99");
    CHECK(PAPI_get_component_info(99) == NULL);
    told(PAPI_ENOCMP, "99");
    CODE(PAPI_set_debug(17), PAPI_EINVAL);
    told(PAPI_EINVAL, "17");
    CODE(PAPI_perror_string(1, text, sizeof text), PAPI_EINVAL);
    told(PAPI_EINVAL, "1");
    CODE(PAPI_lock(9), PAPI_EINVAL);
    told(PAPI_EINVAL, "9");
    /* Quiet is quiet; a level alone leaves the handler. */
    OK(PAPI_set_debug(PAPI_QUIET));
    CODE(PAPI_query_event(0), PAPI_EINVAL);
    EQUAL(errors_told, 0);
    OK(PAPI_set_debug(PAPI_VERB_ESTOP)); /* and does not stop */
    CODE(PAPI_query_event(0), PAPI_EINVAL);
    told(PAPI_EINVAL, "code");
    PAPI_shutdown();
    CODE(PAPI_query_event(0), PAPI_ENOINIT);
    EQUAL(errors_told, 0);
}

static void handlers_may_fail(void **state)
{
    (void)state;
    test_init();
    errors_told = 0;
    nested = 1;
    handle(PAPI_VERB_ECONT, note_error);
    errno = 4242;
    CODE(PAPI_query_named_event("perf::NO-SUCH-EVENT"), PAPI_ENOEVNT);
    EQUAL(errno, 4242);
    EQUAL(errors_told, 1);
    /* The last error is the program's, not the handler's. */
    CHECK(strstr(PAPI_strerror(PAPI_ENOEVNT), "NO-SUCH-EVENT") != NULL);
    nested = 0;
    PAPI_shutdown();
}

static void before_the_library(void *argument)
{
    (void)argument;
    errors_told = 0;
    handle(PAPI_VERB_ECONT, note_error);
    CODE(PAPI_query_event(0), PAPI_ENOINIT);
    told(PAPI_ENOINIT, "PAPI_library_init");
    test_init(); /* leaves it */
    CODE(PAPI_query_event(0), PAPI_EINVAL);
    told(PAPI_EINVAL, "code");
    PAPI_shutdown();
}

/* Runs body and puts what it writes on stderr into text. */
static void printed(void (*body)(void), char *text, size_t size)
{
    int ends[2], saved = dup(STDERR_FILENO);
    ssize_t n;
    fflush(stderr);
    EQUAL(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    body();
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(ends[1]);
    n = read(ends[0], text, size - 1);
    text[n > 0 ? n : 0] = '\0';
    close(ends[0]);
}

static void fail_twice(void)
{
    CODE(PAPI_start(4711), PAPI_ENOEVST);
    CODE(PAPI_query_event(0), PAPI_EINVAL);
}

static void lose_proc(void)
{
    PAPI_dmem_info_t info;
    CODE(PAPI_get_dmem_info(&info), PAPI_ESYS);
    EQUAL(errno, ENOENT);
}

static void errors_are_printed(void *variable)
{
    char text[2048];
    PAPI_option_t option;
    unsetenv("PAPI_VERBOSE");
    unsetenv("PAPI_DEBUG");
    test_init();
    printed(fail_twice, text, sizeof text);
    EQUAL(strlen(text), 0);
    PAPI_shutdown();
    setenv(variable, "0", 1);
    test_init();
    printed(fail_twice, text, sizeof text);
    EQUAL(strlen(text), 0);
    PAPI_shutdown();
    setenv(variable, "yes", 1);
    setenv("PAPI_SYSROOT", "/nonexistent", 1);
    test_init();
    OK(PAPI_get_opt(PAPI_DEBUG, &option));
    EQUAL(option.debug.level, PAPI_VERB_ECONT);
    CHECK(option.debug.handler == NULL);
    printed(fail_twice, text, sizeof text);
    EQUAL(strncmp(text, "PAPI Error: Error Code -11, PAPI_ENOEVST, No such event set", 59), 0);
    CHECK(strstr(text, "\nPAPI Error: Error Code -1, PAPI_EINVAL, Invalid argument") != NULL);
    printed(lose_proc, text, sizeof text);
    CHECK(strstr(text, "Error Code -3, PAPI_ESYS, ") != NULL);
    CHECK(strstr(text, ": No such file or directory\n") != NULL);
    PAPI_shutdown();
}

static void errors_of_all_kinds(void **state)
{
    (void)state;
    PAPI_shutdown();
    test_in_child(before_the_library, NULL);
    test_in_child(errors_are_printed, "PAPI_VERBOSE");
    test_in_child(errors_are_printed, "PAPI_DEBUG");
}

/* ---- devices, the older name of a component */

static void kinds_of_devices(void **state)
{
    static const int kinds[] = {PAPI_DEV_TYPE_ENUM__CPU, PAPI_DEV_TYPE_ENUM__CUDA, PAPI_DEV_TYPE_ENUM__ROCM};
    void *handle = NULL, *seen[3], *cpu;
    const char *name, *status;
    int id, count, vendor;
    (void)state;
    test_init();
    for (int round = 0; round < 2; round++) { /* the end of one is the start of another */
        for (int i = 0; i < PAPI_DEV_TYPE_ID__MAX_NUM; i++) {
            OK(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &handle));
            seen[i] = handle;
            OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_PAPI_ID, &id));
            EQUAL(id, i);
            OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__CHAR_NAME, &name));
            CHECK(strlen(name) > 0 || i == 0);
            OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, &count));
            CHECK(i != PAPI_DEV_TYPE_ID__CPU || count == 1);
            OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__CHAR_STATUS, &status));
            CHECK((count > 0) == (strlen(status) == 0));
            CHECK(count > 0 || strstr(status, "no such device") != NULL);
        }
        CODE(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &handle), PAPI_ENOEVNT);
        CHECK(handle == NULL);
    }
    for (int i = 0; i < 3; i++) {
        handle = &id; /* as from a variable without a value */
        OK(PAPI_enum_dev_type(kinds[i], &handle));
        CHECK(handle == seen[i]);
        CODE(PAPI_enum_dev_type(kinds[i], &handle), PAPI_ENOEVNT);
    }
    handle = seen[1];
    OK(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__FIRST, &handle));
    CHECK(handle == seen[0]);
    handle = NULL;
    OK(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU | PAPI_DEV_TYPE_ENUM__ROCM, &handle));
    OK(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU | PAPI_DEV_TYPE_ENUM__ROCM, &handle));
    CHECK(handle == seen[2]);
    cpu = seen[0];
    OK(PAPI_get_dev_type_attr(cpu, PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID, &vendor));
    EQUAL(vendor, PAPI_get_hardware_info()->vendor);
    OK(PAPI_get_dev_type_attr(cpu, PAPI_DEV_TYPE_ATTR__CHAR_NAME, &name));
    EQUAL(strcmp(name, PAPI_get_hardware_info()->vendor_string), 0);
    CODE(PAPI_get_dev_attr(seen[1], 0, PAPI_DEV_ATTR__CUDA_UINT_WARP_SIZE, &id), PAPI_ENOSUPP);
    CHECK(strstr(PAPI_strerror(PAPI_ENOSUPP), "NVIDIA") != NULL);
    CODE(PAPI_get_dev_attr(seen[2], 0, PAPI_DEV_ATTR__ROCM_UINT_CU_COUNT, &id), PAPI_ENOSUPP);
    CHECK(strstr(PAPI_strerror(PAPI_ENOSUPP), "AMD") != NULL);
}

/* A device of NVIDIA and one of AMD, in a folder that stands for the machine. */
static void devices_of_vendors(void *root)
{
    static const struct {
        int kind, vendor;
        PAPI_dev_attr_e model;
        const char *name;
    } kinds[] = {
        {PAPI_DEV_TYPE_ENUM__CUDA, 0x10de, PAPI_DEV_ATTR__CUDA_CHAR_DEVICE_NAME, "NVIDIA A100-SXM4-80GB"},
        {PAPI_DEV_TYPE_ENUM__ROCM, 0x1002, PAPI_DEV_ATTR__ROCM_CHAR_DEVICE_NAME, "Instinct MI300X"}};
    setenv("PAPI_SYSROOT", root, 1);
    test_init();
    for (int i = 0; i < 2; i++) {
        void *handle = NULL;
        const char *text;
        int count, vendor;
        OK(PAPI_enum_dev_type(kinds[i].kind, &handle));
        OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, &count));
        EQUAL(count, 1);
        OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID, &vendor));
        EQUAL(vendor, kinds[i].vendor);
        OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__CHAR_STATUS, &text));
        EQUAL(strcmp(text, ""), 0);
        OK(PAPI_get_dev_attr(handle, 0, kinds[i].model, &text));
        EQUAL(strcmp(text, kinds[i].name), 0);
        CODE(PAPI_get_dev_attr(handle, 1, kinds[i].model, &text), PAPI_EINVAL);
        CODE(PAPI_get_dev_attr(handle, -1, kinds[i].model, &text), PAPI_EINVAL);
    }
    PAPI_shutdown();
}

static void kinds_with_devices(void **state)
{
    (void)state;
    PAPI_shutdown();
    test_in_child(devices_of_vendors, (void *)GPUS);
}

static unsigned of_cpu(int id, PAPI_dev_attr_e attribute)
{
    unsigned value[2] = {0x55555555, 0x55555555};
    void *handle = NULL;
    OK(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU, &handle));
    OK(PAPI_get_dev_attr(handle, id, attribute, value));
    EQUAL(value[1], 0x55555555); /* an unsigned int and no more */
    return value[0];
}

static const PAPI_mh_cache_info_t *cache(const PAPI_hw_info_t *info, int level, int type)
{
    static const PAPI_mh_cache_info_t none;
    for (int i = 0; level <= info->mem_hierarchy.levels && i < PAPI_MH_MAX_LEVELS; i++)
        if (info->mem_hierarchy.level[level - 1].cache[i].type & type)
            return &info->mem_hierarchy.level[level - 1].cache[i];
    return &none;
}

/* The memory of all NUMA nodes as the kernel states it, in megabytes; without nodes, that of the machine.
 * (The sum over nodes need not be what the machine shows: memory may have been taken from a guest.) */
static long long megabytes_of_the_nodes(void)
{
    char text[64] = "";
    FILE *sum = popen("cat /sys/devices/system/node/node*/meminfo /proc/meminfo 2>/dev/null |"
                      " awk '/^Node .* MemTotal/ {n += int($4 / 1024); nodes++}"
                      " /^MemTotal/ {if (!nodes) n = int($2 / 1024)} END {print n}'",
                      "r");

    CHECK(sum != NULL && fgets(text, sizeof text, sum) != NULL);
    pclose(sum);
    return atoll(text);
}

static void facts_of_the_processor(void **state)
{
    static const struct {
        int level, type;
    } caches[] = {
        {1, PAPI_MH_TYPE_INST}, {1, PAPI_MH_TYPE_DATA}, {2, PAPI_MH_TYPE_DATA}, {3, PAPI_MH_TYPE_DATA}};
    const PAPI_hw_info_t *info;
    void *handle = NULL;
    const char *name;
    unsigned cpus = 0, megabytes = 0, online = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);

    (void)state;
    test_init();
    info = PAPI_get_hardware_info();
    OK(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU, &handle));
    OK(PAPI_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_CHAR_NAME, &name));
    EQUAL(strcmp(name, info->model_string), 0);
    for (int i = 0; i < 4; i++) {
        const PAPI_mh_cache_info_t *one = cache(info, caches[i].level, caches[i].type);

        EQUAL(of_cpu(0, PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE + i), one->size);
        EQUAL(of_cpu(0, PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_SIZE + i), one->line_size);
        EQUAL(of_cpu(0, PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_COUNT + i), one->num_lines);
        EQUAL(of_cpu(0, PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_ASSOC + i), one->associativity);
    }
    EQUAL(of_cpu(0, PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT), info->sockets);
    EQUAL(of_cpu(0, PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT), info->nnodes);
    EQUAL(of_cpu(0, PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT), info->cores);
    EQUAL(of_cpu(0, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT), info->threads);
    EQUAL(of_cpu(0, PAPI_DEV_ATTR__CPU_UINT_FAMILY), info->cpuid_family);
    EQUAL(of_cpu(0, PAPI_DEV_ATTR__CPU_UINT_MODEL), info->cpuid_model);
    EQUAL(of_cpu(0, PAPI_DEV_ATTR__CPU_UINT_STEPPING), info->cpuid_stepping);
    for (int node = 0; node < info->nnodes; node++) {
        cpus += of_cpu(node, PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA);
        megabytes += of_cpu(node, PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE);
    }
    EQUAL(cpus, online);
    EQUAL(megabytes, megabytes_of_the_nodes());
    CHECK(of_cpu(sched_getcpu(), PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY) < (unsigned)info->nnodes);
}

static void the_substrate(void **state)
{
    const PAPI_substrate_info_t *info;
    PAPI_option_t option;
    (void)state;
    test_init();
    info = PAPI_get_substrate_info();
    CHECK(info != NULL && info == PAPI_get_component_info(0));
    CHECK(info->num_preset_events >= 0 && info->num_native_events >= 0);
    EQUAL(info->multiplex_timer_sig, 0);
    EQUAL(info->multiplex_timer_num, 0);
    EQUAL(info->opcode_match_width, 0);
    EQUAL(info->edge_detect, access("/sys/bus/event_source/devices/cpu/format/edge", R_OK) == 0);
    EQUAL(info->invert, access("/sys/bus/event_source/devices/cpu/format/inv", R_OK) == 0);
    EQUAL(info->data_address_range + info->instr_address_range + info->profile_ear + info->grouped_cntrs, 0);
    memset(&option, 0, sizeof option);
    OK(PAPI_get_opt(PAPI_SUBSTRATEINFO, &option));
    CHECK(option.sub_info == info && option.cmp_info == info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_by_their_own_numbers),
        cmocka_unit_test(threads_by_the_kernels_numbers),
        cmocka_unit_test(threads_of_a_child),
        cmocka_unit_test(pointers_of_all_threads),
        cmocka_unit_test(locks_exclude),
        cmocka_unit_test(locks_have_owners),
        cmocka_unit_test(locks_are_taken_again),
        cmocka_unit_test(locks_outlive),
        cmocka_unit_test(locks_of_a_child),
        cmocka_unit_test(locks_in_handlers),
        cmocka_unit_test(locks_in_overflow_handlers),
        cmocka_unit_test(each_error_is_told_once),
        cmocka_unit_test(handlers_may_fail),
        cmocka_unit_test(errors_of_all_kinds),
        cmocka_unit_test(kinds_of_devices),
        cmocka_unit_test(kinds_with_devices),
        cmocka_unit_test(facts_of_the_processor),
        cmocka_unit_test(the_substrate),
    };

    return TEST_RUN(tests);
}
