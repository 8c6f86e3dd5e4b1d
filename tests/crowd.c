/* SPDX-License-Identifier: BSD-3-Clause */
#include "crowd.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CREATORS = 4, HUNDRED = 100, MOST_STAYING = 400 };

/* State of the process itself. */
static struct {
    void (*work)(void);
    const char *program;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int staying, done;    /* threads that stay, and those that have done this round's work */
    int round, last_call; /* the number of the round; the threads are to end */
    atomic_int storm, hot;
    pthread_t creator[CREATORS], runner;
    struct crowd child;
    int order, answer;
} own = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void need(int fine, const char *what)
{
    if (!fine) {
        perror(what);
        _exit(3);
    }
}

static pthread_t thread(void *(*body)(void *))
{
    pthread_attr_t attr;
    pthread_t made;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 256 * 1024);
    need(pthread_create(&made, &attr, body, NULL) == 0, "pthread_create");
    pthread_attr_destroy(&attr);
    return made;
}

static void *once(void *unused)
{
    own.work();
    return unused;
}

static void *stay(void *unused)
{
    pthread_detach(pthread_self());
    pthread_mutex_lock(&own.lock);
    own.staying++;
    for (int round = own.round; !own.last_call;) {
        pthread_cond_broadcast(&own.changed);
        while (own.round == round && !own.last_call)
            pthread_cond_wait(&own.changed, &own.lock);
        if (own.last_call)
            break;
        round = own.round;
        pthread_mutex_unlock(&own.lock);
        own.work();
        pthread_mutex_lock(&own.lock);
        own.done++;
    }
    own.staying--;
    pthread_cond_broadcast(&own.changed);
    pthread_mutex_unlock(&own.lock);
    return unused;
}

static void await(const int *number, int wanted)
{
    pthread_mutex_lock(&own.lock);
    while (*number < wanted)
        pthread_cond_wait(&own.changed, &own.lock);
    pthread_mutex_unlock(&own.lock);
}

static void all_work(void)
{
    pthread_mutex_lock(&own.lock);
    int wanted = own.staying;
    own.done = 0;
    own.round++;
    pthread_cond_broadcast(&own.changed);
    pthread_mutex_unlock(&own.lock);
    await(&own.done, wanted);
}

static void more(int n)
{
    int wanted = own.staying + n;
    for (int i = 0; i < n; i++)
        thread(stay);
    await(&own.staying, wanted);
}

static void all_end(void)
{
    pthread_mutex_lock(&own.lock);
    own.last_call = 1;
    pthread_cond_broadcast(&own.changed);
    while (own.staying > 0)
        pthread_cond_wait(&own.changed, &own.lock);
    own.last_call = 0;
    pthread_mutex_unlock(&own.lock);
}

static void come_and_go(void)
{
    for (int i = 0; i < HUNDRED; i += CREATORS) {
        pthread_t made[CREATORS];
        for (int k = 0; k < CREATORS; k++)
            made[k] = thread(once);
        for (int k = 0; k < CREATORS; k++)
            pthread_join(made[k], NULL);
    }
}

static void *create(void *unused)
{
    for (int i = 1; atomic_load(&own.storm); i++) {
        pthread_join(thread(once), NULL);
        pthread_mutex_lock(&own.lock);
        int few = own.staying < MOST_STAYING;
        pthread_mutex_unlock(&own.lock);
        if (i % 20 == 0 && few)
            thread(stay);
    }
    return unused;
}

static void storm(int begins)
{
    atomic_store(&own.storm, begins);
    for (int i = 0; i < CREATORS; i++)
        if (begins)
            own.creator[i] = thread(create);
        else
            pthread_join(own.creator[i], NULL);
    if (!begins)
        usleep(20000); /* the last of those that stay have come to that */
}

static void *run_hot(void *unused)
{
    while (atomic_load(&own.hot))
        ;
    return unused;
}

static void hot(int begins)
{
    atomic_store(&own.hot, begins);
    if (begins)
        own.runner = thread(run_hot);
    else
        pthread_join(own.runner, NULL);
}

static void in_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        own.work();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void *obey(void *unused);

/* The rest of the process's life is this thread's. */
static void first_thread_ends(void)
{
    thread(obey);
    pthread_exit(NULL);
}

static int carry_out(char what)
{
    switch (what) {
    case 'w':
        all_work();
        break;
    case 'o': /* of the process that stays */
        pthread_join(thread(once), NULL);
        break;
    case 'c':
        come_and_go();
        break;
    case '+':
        more(10);
        break;
    case '-':
        all_end();
        break;
    case 's':
    case 'p':
        storm(what == 's');
        break;
    case 'h':
    case 'i':
        hot(what == 'h');
        break;
    case 'f':
        in_child();
        break;
    case 'k':
        own.child = crowd_make(0, own.work, NULL);
        break;
    case 'K':
        need(crowd_do(&own.child, 'o'), "the child");
        break;
    case 'x':
        execl(own.program, own.program, "work", (char *)NULL);
        break;
    default:
        return 0;
    }
    return 1;
}

static void *obey(void *unused)
{
    char what;
    while (read(own.order, &what, 1) == 1) {
        if (what == 'l' && write(own.answer, &what, 1) == 1)
            first_thread_ends();
        if (!carry_out(what) || write(own.answer, &what, 1) != 1)
            break;
    }
    _exit(0);
    return unused;
}

struct crowd crowd_make(int threads, void (*work)(void), const char *program)
{
    int to[2], from[2];
    struct crowd crowd;
    need(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0, "pipe");
    crowd.pid = fork();
    need(crowd.pid >= 0, "fork");
    if (crowd.pid == 0) {
        close(to[1]);
        close(from[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        own.order = to[0];
        own.answer = from[1];
        own.work = work;
        own.program = program;
        more(threads);
        obey(NULL);
    }
    close(to[0]);
    close(from[1]);
    crowd.order = to[1];
    crowd.answer = from[0];
    need(crowd_do(&crowd, 'f'), "the process"); /* it is ready, and what faults once has done so */
    return crowd;
}

void crowd_order(const struct crowd *crowd, char what)
{
    need(write(crowd->order, &what, 1) == 1, "an order");
}

int crowd_do(const struct crowd *crowd, char what)
{
    char got = 0;
    crowd_order(crowd, what);
    return read(crowd->answer, &got, 1) == 1 && got == what;
}

int crowd_end(struct crowd *crowd)
{
    int status = -1;
    close(crowd->order);
    close(crowd->answer);
    waitpid(crowd->pid, &status, 0);
    return status;
}
