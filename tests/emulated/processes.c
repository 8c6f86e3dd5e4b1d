/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs that start and end in all the ways there are: processes WHAT TURNS. Each does TURNS turns of
 * the loop, three operations each, where its name says; the report's sums are compared with those of
 * the same with no turns at all. Exit status 0 or the one that its name says; 1: a count was wrong.
 */
#include "operations_loop.h"
#include "papi.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static long turns;
static const char *self;

static void check(int condition, const char *text)
{
    if (condition)
        return;
    fprintf(stderr, "not true: %s\n", text);
    _exit(1);
}

#define CHECK(condition) check(condition, #condition)

static void work(long n)
{
    if (n > 0)
        operations_loop(n);
}

static int start_counting(void)
{
    int es = PAPI_NULL;
    CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    CHECK(PAPI_create_eventset(&es) == PAPI_OK);
    CHECK(PAPI_add_named_event(es, "PAPI_DP_OPS") == PAPI_OK);
    CHECK(PAPI_start(es) == PAPI_OK);
    return es;
}

/* ---- one process */

static void plain(void)
{
    work(turns);
}

static void unstopped(void)
{
    start_counting();
    work(turns);
    exit(3); /* no PAPI_stop, no PAPI_shutdown */
}

static void abrupt(void)
{
    start_counting();
    work(turns);
    _exit(4);
}

static volatile int *volatile nowhere = NULL;

static void faulting(void)
{
    start_counting();
    work(turns);
    *nowhere = 1;
}

static void aborting(void)
{
    start_counting();
    work(turns);
    abort();
}

static void killed(void)
{
    work(turns);
    kill(getpid(), SIGKILL);
    pause();
}

static void executing(void)
{
    char text[32];
    start_counting();
    work(turns);
    snprintf(text, sizeof text, "%ld", 10 * turns);
    execl(self, "another", "plain", text, (char *)NULL);
    _exit(1);
}

/* Through the shell, which is a program too. */
static void shell(void)
{
    char text[1024];
    snprintf(text, sizeof text, "'%s' plain %ld; '%s' plain %ld", self, turns, self, 2 * turns);
    CHECK(system(text) == 0);
}

/* ---- forks */

static void in_the_child(int es)
{
    long long value;
    CHECK(PAPI_read(es, &value) == PAPI_ECLOST);
    int own = start_counting();
    work(5 * turns);
    CHECK(PAPI_stop(own, &value) == PAPI_OK && value == 15 * turns);
    exit(0);
}

static void forking(void)
{
    long long value;
    int status, es = start_counting();
    work(turns);
    pid_t child = fork();
    if (child == 0)
        in_the_child(es);
    work(turns);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(PAPI_stop(es, &value) == PAPI_OK && value == 6 * turns);
}

/* Children of children, all at one time. */
static void many_forks(void)
{
    for (int i = 0; i < 4; i++) {
        work(turns);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child > 0) { /* each has one child, and ends after it */
            int status;
            CHECK(waitpid(child, &status, 0) == child && status == 0);
            return;
        }
    }
}

/* ---- threads */

static void *thread_work(void *number)
{
    work(turns * (long)number);
    return NULL;
}

static void *thread_counts(void *number)
{
    long long value;
    int es = start_counting();
    work(turns * (long)number);
    CHECK(PAPI_stop(es, &value) == PAPI_OK && value == 3 * turns * (long)number);
    return NULL; /* the set and the thread are never unregistered */
}

static void one_after_another(void *(*body)(void *))
{
    for (long i = 1; i <= 100; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, body, (void *)i) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
}

static void hundred_threads(void)
{
    one_after_another(thread_work);
}

static void hundred_counting_threads(void)
{
    CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    CHECK(PAPI_thread_init((unsigned long (*)(void))pthread_self) == PAPI_OK);
    one_after_another(thread_counts);
}

/* The program ends while the threads are still about to: the C library has said that they ended. */
static void threads_together(void)
{
    pthread_t thread[64];
    for (long i = 0; i < 64; i++)
        CHECK(pthread_create(&thread[i], NULL, thread_work, (void *)1) == 0);
    for (int i = 0; i < 64; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
}

static volatile int threads_done;

static void *work_and_wait(void *number)
{
    work(turns * (long)number);
    __atomic_fetch_add(&threads_done, 1, __ATOMIC_SEQ_CST);
    for (;;)
        pause();
    return NULL;
}

/* exit() while others still run. */
static void running_threads(void)
{
    for (long i = 1; i <= 8; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, work_and_wait, (void *)i) == 0);
    }
    while (__atomic_load_n(&threads_done, __ATOMIC_SEQ_CST) < 8)
        usleep(1000);
    exit(5);
}

/* ---- signals */

static volatile int ticks;

static void tick(int number)
{
    (void)number;
    for (int i = 0; i < 10; i++) /* branches of its own */
        if (i % 3 == 0)
            ticks = ticks + 1;
}

/* A timer's signal comes in between any two blocks, a branch and what follows it among them. */
static void interrupted(void)
{
    struct sigaction action = {.sa_handler = tick};
    struct itimerval timer = {{0, 500}, {0, 500}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    work(turns);
    timer = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("%d\n", ticks / 4);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*body)(void);
    } bodies[] = {
        {"plain", plain},
        {"unstopped", unstopped},
        {"abrupt", abrupt},
        {"faulting", faulting},
        {"aborting", aborting},
        {"killed", killed},
        {"executing", executing},
        {"shell", shell},
        {"forking", forking},
        {"many_forks", many_forks},
        {"hundred_threads", hundred_threads},
        {"hundred_counting_threads", hundred_counting_threads},
        {"threads_together", threads_together},
        {"running_threads", running_threads},
        {"interrupted", interrupted},
    };
    if (argc != 3)
        return 2;
    static char path[4096];
    self = realpath("/proc/self/exe", path);
    turns = atol(argv[2]);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        if (strcmp(argv[1], bodies[i].name) == 0) {
            bodies[i].body();
            return 0;
        }
    return 2;
}
