/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums over a program's children, of sets that are read at once: children that have ended, that run, that
 * come and go while the set is read. While one lives that has the set's counters, it cannot be changed.
 */
#include "testing.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EVENTS = 8, PAGES = 100, MANY = 300 };

static void inherit(int es)
{
    PAPI_option_t option = {.inherit = {.eventset = es, .inherit = PAPI_INHERIT_ALL}};
    OK(PAPI_assign_eventset_component(es, 0));
    OK(PAPI_set_opt(PAPI_INHERIT, &option));
}

/* Page faults under names of their own. */
static void add_faults(int es, int first, int n)
{
    char name[PAPI_MAX_STR_LEN];
    for (int i = first; i < first + n; i++) {
        snprintf(name, sizeof name, "software/config=2,config1=%d/", i + 1);
        OK(PAPI_add_named_event(es, name));
    }
}

static int inherited_set(int events)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    inherit(es);
    add_faults(es, 0, events);
    return es;
}

/* A set, and beside it one of a single event, of which the kernel itself makes the sum. */
struct pair {
    int set, one;
    long long begin[EVENTS], truth;
};

static void start_pair(struct pair *pair)
{
    pair->set = inherited_set(EVENTS);
    pair->one = inherited_set(1);
    OK(PAPI_start(pair->one));
    OK(PAPI_start(pair->set));
    for (int warm = 0; warm < 2; warm++) {
        OK(PAPI_read(pair->one, &pair->truth));
        OK(PAPI_read(pair->set, pair->begin));
    }
}

/* While nothing runs that faults. */
static void check_pair(const struct pair *pair, long long least)
{
    long long truth, now[EVENTS];
    OK(PAPI_read(pair->one, &truth));
    OK(PAPI_read(pair->set, now));
    for (int i = 0; i < EVENTS; i++) {
        EQUAL(now[i], now[0]);
        CHECK(now[i] - pair->begin[i] >= least);
        COUNTED(now[i] - pair->begin[i], truth - pair->truth);
    }
}

static void drop_pair(const struct pair *pair)
{
    long long value[EVENTS];
    OK(PAPI_stop(pair->set, value));
    test_drop(pair->set);
    test_drop(pair->one);
}

/* A child that touches pages at once, says so, and does it again for each byte that it gets. */
struct child {
    pid_t pid;
    int to, from;
};

static void touch_and_say(int answer)
{
    test_touch_pages(PAGES);
    if (write(answer, "", 1) != 1)
        _exit(1);
}

static void wait_for(const struct child *child)
{
    char answer;
    EQUAL(read(child->from, &answer, 1), 1);
}

static struct child make_child(void)
{
    int to[2], from[2];
    char order;
    EQUAL(pipe(to), 0);
    EQUAL(pipe(from), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(to[1]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        touch_and_say(from[1]);
        while (read(to[0], &order, 1) == 1)
            touch_and_say(from[1]);
        _exit(0);
    }
    close(to[0]);
    close(from[1]);
    struct child child = {pid, to[1], from[0]};
    wait_for(&child);
    return child;
}

static void again(const struct child *child)
{
    EQUAL(write(child->to, "", 1), 1);
    wait_for(child);
}

static void end(const struct child *child)
{
    close(child->to);
    EQUAL(waitpid(child->pid, NULL, 0), child->pid);
    close(child->from);
}

static void children(void **state)
{
    struct pair pair;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    start_pair(&pair);
    test_touch_pages(PAGES);
    check_pair(&pair, PAGES);
    struct child first = make_child();
    check_pair(&pair, 2 * PAGES);
    end(&first);
    check_pair(&pair, 2 * PAGES);
    struct child second = make_child();
    again(&second);
    check_pair(&pair, 4 * PAGES);
    pid_t other = fork();
    if (other == 0) {
        test_touch_pages(PAGES);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    EQUAL(waitpid(other, NULL, 0), other);
    check_pair(&pair, 5 * PAGES);
    OK(PAPI_stop(pair.set, pair.begin));
    OK(PAPI_read(pair.one, &pair.truth));
    again(&second); /* not counted by the set */
    OK(PAPI_start(pair.set));
    for (int i = 0; i < EVENTS; i++)
        pair.begin[i] = 0;
    OK(PAPI_read(pair.one, &pair.truth));
    again(&second);
    check_pair(&pair, PAGES);
    end(&second);
    check_pair(&pair, PAGES);
    drop_pair(&pair);
}

/* Makes children one after the other, which make faults. */
static pid_t start_crowd(void)
{
    pid_t crowd = fork();
    if (crowd != 0)
        return crowd;
    for (int i = 0; i < MANY; i++) {
        pid_t child = fork();
        if (child == 0) {
            test_touch_pages(10);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    _exit(0);
}

/* True as long as one lives. */
static bool any_left(void)
{
    siginfo_t info = {0};
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG) == 0;
}

static void children_that_come_and_go(void **state)
{
    enum { CROWDS = 3 };
    struct pair pair;
    long long last[EVENTS], now[EVENTS];
    int reads = 0, failed = 0, back = 0;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    start_pair(&pair);
    memcpy(last, pair.begin, sizeof last);
    for (int i = 0; i < CROWDS; i++)
        CHECK(start_crowd() > 0);
    while (any_left()) {
        reads++;
        failed += PAPI_read(pair.set, now) != PAPI_OK;
        for (int i = 0; i < EVENTS; i++)
            back += now[i] < last[i];
        memcpy(last, now, sizeof last);
    }
    CHECK(reads > 10);
    EQUAL(failed, 0);
    EQUAL(back, 0);
    check_pair(&pair, CROWDS * MANY * 10);
    drop_pair(&pair);
}

#define ONE_MORE "software/config=2,config1=9/"

static int to_kernel_mode(int es)
{
    PAPI_option_t option = {.domain = {.eventset = es, .domain = PAPI_DOM_KERNEL}};
    return PAPI_set_opt(PAPI_DOMAIN, &option);
}

/* All counters count the child, again and again, whatever was refused. */
static void is_counted(int es, const struct child *child, int events)
{
    long long value[EVENTS];
    OK(PAPI_start(es));
    again(child);
    OK(PAPI_stop(es, value));
    CHECK(value[0] >= PAGES);
    for (int i = 1; i < events; i++)
        EQUAL(value[i], value[0]);
}

/* Refuses whatever would leave a child without counters that has them, or without one of the set's; the
 * kernel may have exchanged those of the two, which depends on which of them ran last. */
static void changes_beside_a_child(void **state)
{
    enum { TRIES = 25 };
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int i = 0; i < TRIES; i++) {
        int es = inherited_set(2);
        struct child child = make_child();
        is_counted(es, &child, 2);
        REFUSES(PAPI_add_named_event(es, ONE_MORE), PAPI_ECNFLCT, "PAPI_INHERIT");
        is_counted(es, &child, 2);
        if (i == 0) {
            REFUSES(PAPI_remove_named_event(es, "software/config=2,config1=1/"), PAPI_ECNFLCT,
                    "PAPI_INHERIT");
            REFUSES(PAPI_set_multiplex(es), PAPI_ECNFLCT, "PAPI_INHERIT");
            REFUSES(to_kernel_mode(es), PAPI_ECNFLCT, "PAPI_INHERIT");
            is_counted(es, &child, 2);
        }
        end(&child);
        OK(PAPI_add_named_event(es, ONE_MORE));
        child = make_child();
        is_counted(es, &child, 3);
        if (i == 0) { /* begins anew, with no child */
            long long value[1];
            OK(PAPI_cleanup_eventset(es));
            add_faults(es, 0, 1);
            OK(PAPI_start(es));
            again(&child);
            OK(PAPI_stop(es, value));
            CHECK(value[0] < PAGES);
        }
        end(&child);
        test_drop(es);
    }
}

struct thread {
    pthread_t id;
    sem_t begun, to_end;
};

static void await(sem_t *sem)
{
    while (sem_wait(sem) != 0)
        ;
}

static void *wait_to_end(void *own)
{
    struct thread *thread = own;
    sem_post(&thread->begun);
    await(&thread->to_end);
    return NULL;
}

static void make_thread(struct thread *thread)
{
    EQUAL(sem_init(&thread->begun, 0, 0), 0);
    EQUAL(sem_init(&thread->to_end, 0, 0), 0);
    EQUAL(pthread_create(&thread->id, NULL, wait_to_end, thread), 0);
    await(&thread->begun);
}

static void end_thread(struct thread *thread)
{
    sem_post(&thread->to_end);
    EQUAL(pthread_join(thread->id, NULL), 0);
    sem_destroy(&thread->begun);
    sem_destroy(&thread->to_end);
}

/* A pool of threads is not counted by an event that is added later. One that was there before the set has
 * inherited nothing. */
static void changes_beside_threads(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct thread before, heir;
    make_thread(&before);
    int es = inherited_set(2);
    for (int i = 0; i < 20; i++) {
        make_thread(&heir);
        REFUSES(PAPI_add_named_event(es, ONE_MORE), PAPI_ECNFLCT, "PAPI_cleanup_eventset");
        end_thread(&heir);
        OK(PAPI_add_named_event(es, ONE_MORE));
        OK(PAPI_remove_named_event(es, ONE_MORE));
    }
    end_thread(&before);
    test_drop(es);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children),
        cmocka_unit_test(children_that_come_and_go),
        cmocka_unit_test(changes_beside_a_child),
        cmocka_unit_test(changes_beside_threads),
    };
    return TEST_RUN(tests);
}
