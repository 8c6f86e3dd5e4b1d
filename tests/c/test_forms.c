/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The forms of an event set: multiplexed, attached to a thread, a process or a CPU, inherited by threads
 * and processes. On the kernel's software events, of which there are always counters enough; the node's
 * tests have those for which there are not.
 */
#include "testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 200 };

static int set_option(int option, int es, long value)
{
    PAPI_option_t o;
    memset(&o, 0, sizeof o);
    switch (option) {
    case PAPI_INHERIT:
        o.inherit.eventset = es;
        o.inherit.inherit = (int)value;
        break;
    case PAPI_CPU_ATTACH:
        o.cpu.eventset = es;
        o.cpu.cpu_num = (unsigned)value;
        break;
    case PAPI_MULTIPLEX:
        o.multiplex.eventset = es;
        o.multiplex.flags = (int)value;
        break;
    case PAPI_GRANUL:
        o.granularity.eventset = es;
        o.granularity.granularity = (int)value;
        break;
    default:
        o.domain.eventset = es;
        o.domain.domain = (int)value;
    }
    return PAPI_set_opt(option, &o);
}

static int granularity_of(int es)
{
    PAPI_option_t o;
    memset(&o, 0, sizeof o);
    o.granularity.eventset = es;
    OK(PAPI_get_opt(PAPI_GRANUL, &o));
    return o.granularity.granularity;
}

static int state_of(int es)
{
    int state = 0;
    OK(PAPI_state(es, &state));
    return state;
}

/* ---- multiplexing */

/* The timer of overflows by software can be asked for, and is the one that there is. */
static void the_timer(void **state)
{
    PAPI_option_t option, timer;
    (void)state;
    test_init();
    memset(&timer, -1, sizeof timer);
    OK(PAPI_get_opt(PAPI_DEF_ITIMER, &timer));
    EQUAL(timer.itimer.itimer_num, ITIMER_PROF);
    CHECK(timer.itimer.itimer_sig > 0 && timer.itimer.itimer_sig <= SIGRTMAX);
    EQUAL(timer.itimer.ns, 1000000);
    EQUAL(timer.itimer.flags, 0);
    OK(PAPI_get_opt(PAPI_DEF_ITIMER_NS, &option));
    EQUAL(option.itimer.ns, timer.itimer.ns);
    OK(PAPI_set_opt(PAPI_DEF_ITIMER, &timer));
    OK(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &timer));
    option = timer;
    option.itimer.ns++;
    OK(PAPI_set_opt(PAPI_DEF_ITIMER, &option));
    CODE(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &option), PAPI_ECMP);
    option = timer;
    option.itimer.itimer_num = ITIMER_REAL;
    CODE(PAPI_set_opt(PAPI_DEF_ITIMER, &option), PAPI_ECMP);
    CHECK(strstr(PAPI_strerror(PAPI_ECMP), "ITIMER_PROF") != NULL);
    CODE(PAPI_get_opt(PAPI_DEF_ITIMER, NULL), PAPI_EINVAL);
}

static void multiplexed_counts_are_exact(void **state)
{
    long long values[3], sums[3] = {1000, 0, 0};
    int before, es = PAPI_NULL;

    (void)state;
    NEED_SOFTWARE_EVENTS();
    before = test_open_descriptors();
    OK(PAPI_multiplex_init());
    OK(PAPI_create_eventset(&es));
    EQUAL(PAPI_get_multiplex(es), 0);
    OK(PAPI_set_multiplex(es)); /* bound to no component yet */
    CHECK(PAPI_get_multiplex(es) > 0);
    EQUAL(state_of(es), PAPI_STOPPED | PAPI_MULTIPLEXING);
    OK(PAPI_add_named_event(es, FAULTS));
    OK(PAPI_add_named_event(es, CLOCK));
    OK(PAPI_add_named_event(es, MINOR));
    test_touch_pages(1);
    for (int round = 0; round < 3; round++) {
        OK(PAPI_start(es));
        EQUAL(state_of(es), PAPI_RUNNING | PAPI_MULTIPLEXING);
        test_touch_pages(PAGES);
        OK(PAPI_read(es, values));
        COUNTED(values[0], PAGES);
        COUNTED(values[2], PAGES);
        test_touch_pages(PAGES);
        OK(PAPI_reset(es));
        test_touch_pages(PAGES / 2);
        OK(PAPI_stop(es, values));
        COUNTED(values[0], PAGES / 2);
        OK(PAPI_read(es, values));
        COUNTED(values[0], PAGES / 2);
    }
    values[0] = 5, values[1] = 6, values[2] = 7;
    OK(PAPI_write(es, values));
    OK(PAPI_accum(es, sums));
    EQUAL(sums[0], 1005);
    EQUAL(sums[1], 6);
    EQUAL(sums[2], 7);
    OK(PAPI_read(es, values));
    EQUAL(values[0], 0);
    OK(PAPI_start(es));
    values[0] = 100000, values[1] = 0, values[2] = 0;
    OK(PAPI_write(es, values));
    test_touch_pages(PAGES);
    OK(PAPI_accum(es, sums));
    COUNTED(sums[0], 1005 + 100000 + PAGES);
    test_touch_pages(PAGES);
    OK(PAPI_accum(es, sums));
    COUNTED(sums[0] - test_slack(), 1005 + 100000 + 2 * PAGES - test_slack());
    test_drop(es);
    EQUAL(test_open_descriptors(), before);
}

static void converted_with_its_events(void **state)
{
    long long values[3];
    int before, es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    before = test_open_descriptors();
    es = test_set(FAULTS, CLOCK, MINOR, NULL);
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], PAGES);
    long long faults = values[0], clock = values[1];
    OK(PAPI_set_multiplex(es));
    OK(PAPI_read(es, values)); /* the counts stay */
    EQUAL(values[0], faults);
    EQUAL(values[1], clock);
    CODE(PAPI_set_multiplex(es), PAPI_EINVAL);
    OK(PAPI_remove_named_event(es, CLOCK));
    OK(PAPI_read(es, values));
    EQUAL(values[0], faults);
    EQUAL(values[1], faults);
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], PAGES);
    COUNTED(values[1], PAGES);
    OK(set_option(PAPI_DOMAIN, es, PAPI_DOM_USER));
    EQUAL(PAPI_get_multiplex(es), 1);
    OK(PAPI_read(es, values));
    COUNTED(values[0], PAGES);
    test_drop(es);
    EQUAL(test_open_descriptors(), before);
}

static void multiplexing_in_the_old_order(void **state)
{
    PAPI_option_t option;
    int es = PAPI_NULL;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    OK(PAPI_set_cmp_domain(PAPI_DOM_USER, 0));
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, 0));
    OK(PAPI_set_multiplex(es));
    OK(PAPI_add_named_event(es, CLOCK));
    memset(&option, 0, sizeof option);
    option.multiplex.eventset = es;
    option.multiplex.ns = -1;
    EQUAL(PAPI_get_opt(PAPI_MULTIPLEX, &option), 1);
    EQUAL(option.multiplex.flags, PAPI_MULTIPLEX_DEFAULT);
    CHECK(option.multiplex.ns >= 0);
    int ns = option.multiplex.ns;
    OK(PAPI_get_opt(PAPI_DEF_MPX_NS, &option));
    EQUAL(option.multiplex.ns, ns);
    OK(PAPI_get_cmp_opt(PAPI_DEF_MPX_USEC, &option, 0));
    EQUAL(option.multiplex.us, ns);
    OK(PAPI_set_opt(PAPI_DEF_MPX_NS, &option)); /* as it is */
    option.multiplex.ns = ns + 1;
    CODE(PAPI_set_opt(PAPI_DEF_MPX_NS, &option), PAPI_ECMP);
    CHECK(strstr(PAPI_strerror(PAPI_ECMP), "perf_event_mux_interval_ms") != NULL);
    CHECK(PAPI_get_opt(PAPI_MAX_MPX_CTRS, NULL) >= 32);
    CHECK(PAPI_get_component_info(0)->kernel_multiplex);
    test_drop(es);
    es = test_set(CLOCK, NULL);
    CODE(set_option(PAPI_MULTIPLEX, es, PAPI_MULTIPLEX_FORCE_SW), PAPI_ENOSUPP);
    EQUAL(PAPI_get_multiplex(es), 0);
    OK(set_option(PAPI_MULTIPLEX, es, PAPI_MULTIPLEX_DEFAULT));
    EQUAL(PAPI_get_multiplex(es), 1);
    test_drop(es);
}

static void allow_descriptors(int more)
{
    struct rlimit limit;
    int highest = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(highest);
    EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = more < 0 ? limit.rlim_max : (rlim_t)(highest + more);
    EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* The events are opened again: where that fails the set is as it was. */
static void without_descriptors(void *unused)
{
    long long values[3], faults;
    int es;
    (void)unused;
    test_init();
    es = test_set(FAULTS, CLOCK, MINOR, NULL);
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, values));
    faults = values[0];
    allow_descriptors(2);
    CODE(PAPI_set_multiplex(es), PAPI_ESYS);
    CODE(set_option(PAPI_INHERIT, es, PAPI_INHERIT_ALL), PAPI_ESYS);
    CODE(PAPI_attach(es, (unsigned long)getpid()), PAPI_ESYS);
    EQUAL(state_of(es), PAPI_STOPPED);
    OK(PAPI_read(es, values));
    EQUAL(values[0], faults);
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], PAGES);
    allow_descriptors(-1);
    OK(PAPI_set_multiplex(es));
    allow_descriptors(1);
    CODE(PAPI_remove_named_event(es, CLOCK), PAPI_ESYS);
    EQUAL(PAPI_num_events(es), 3);
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], PAGES);
    COUNTED(values[2], PAGES);
    allow_descriptors(-1);
    test_drop(es);
    PAPI_shutdown();
}

static void a_shortage_of_descriptors(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_in_child(without_descriptors, NULL);
}

/* A preset of several native events, in a multiplexed set. */
static void a_derived_preset(void *unused)
{
    static const char table[] = "CPU,perf\n"
                                "PRESET,PAPI_TOT_INS,DERIVED_ADD,perf::PAGE-FAULTS,perf::MINOR-FAULTS\n";
    long long values[2];
    int es = PAPI_NULL;

    (void)unused;
    PAPI_shutdown();
    test_presets(table, sizeof table - 1);
    test_init();
    OK(PAPI_create_eventset(&es));
    OK(PAPI_set_multiplex(es));
    OK(PAPI_add_named_event(es, CLOCK));
    OK(PAPI_add_event(es, PAPI_TOT_INS));
    test_touch_pages(1);
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, values));
    CHECK(values[0] > 0);
    CHECK(values[1] >= 2 * PAGES && values[1] <= 2 * (PAGES + test_slack()));
    test_drop(es);
    PAPI_shutdown();
}

static void derived_in_a_multiplexed_set(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    test_in_child(a_derived_preset, NULL);
}

/* ---- a child that obeys */

struct child {
    pid_t pid;
    int order, answer; /* pipes */
};

static char own_path[4096]; /* of this program */

/* Does one round of the work, in the program that exec starts. */
static int worker(void)
{
    test_touch_pages(PAGES);
    return 0;
}

static void in_grandchild(void)
{
    pid_t grandchild = fork();
    if (grandchild == 0) {
        test_touch_pages(PAGES);
        _exit(0);
    }
    waitpid(grandchild, NULL, 0);
}

/* On one CPU, so that the kernel goes from the child to the grandchild at once. It answers, and waits for one
 * more order before its work. */
static void with_grandchild(int order, int answer)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    pid_t grandchild = fork();
    if (grandchild == 0) {
        char what = 'g';
        int fine = write(answer, &what, 1) == 1 && read(order, &what, 1) == 1;
        test_touch_pages(PAGES);
        _exit(!fine);
    }
    waitpid(grandchild, NULL, 0);
}

static void obey(int order, int answer)
{
    char what;
    while (read(order, &what, 1) == 1) {
        if (what == 't')
            test_touch_pages(PAGES);
        if (what == 's')
            test_sleep(20);
        if (what == 'f')
            in_grandchild();
        if (what == 'g')
            with_grandchild(order, answer);
        if (what == 'x')
            execl(own_path, own_path, "worker", (char *)NULL);
        if (what == 'q' || write(answer, &what, 1) != 1)
            break;
    }
    _exit(0);
}

static void order(const struct child *child, char what)
{
    EQUAL(write(child->order, &what, 1), 1);
}

static void have_done(const struct child *child, char what)
{
    char got = 0;
    order(child, what);
    EQUAL(read(child->answer, &got, 1), 1);
    EQUAL(got, what);
}

static struct child make_child(void)
{
    int to[2], from[2];
    struct child child;
    EQUAL(pipe2(to, O_CLOEXEC), 0);
    EQUAL(pipe2(from, O_CLOEXEC), 0);
    child.pid = fork();
    CHECK(child.pid >= 0);
    if (child.pid == 0) {
        close(to[1]); /* the parent's end is the end of the orders */
        obey(to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    child.order = to[1];
    child.answer = from[0];
    have_done(&child, 't'); /* what is used for the first time faults once */
    have_done(&child, 'f');
    return child;
}

static void await(struct child *child)
{
    int status = -1;
    EQUAL(waitpid(child->pid, &status, 0), child->pid);
    EQUAL(status, 0);
    close(child->order);
    close(child->answer);
}

/* ---- attached */

static unsigned long target_of(int es, int attached)
{
    PAPI_option_t o;
    memset(&o, 0, sizeof o);
    o.attach.eventset = es;
    EQUAL(PAPI_get_opt(PAPI_ATTACH, &o), attached);
    EQUAL(PAPI_get_opt(PAPI_DETACH, &o), !attached);
    return o.attach.tid;
}

/* Attached to a child before and after the events are added, multiplexed or not. */
static void count_a_child(int attach_first, int multiplexed)
{
    struct child child = make_child();
    long long values[3];
    int es = PAPI_NULL, bits = PAPI_ATTACHED | (multiplexed ? PAPI_MULTIPLEXING : 0);
    OK(PAPI_create_eventset(&es));
    if (multiplexed)
        OK(PAPI_set_multiplex(es));
    if (attach_first)
        OK(PAPI_attach(es, (unsigned long)child.pid));
    OK(PAPI_add_named_event(es, FAULTS));
    OK(PAPI_add_named_event(es, CLOCK));
    if (!attach_first)
        OK(PAPI_attach(es, (unsigned long)child.pid));
    OK(PAPI_add_named_event(es, MINOR));
    EQUAL(target_of(es, 1), child.pid);
    EQUAL(state_of(es), PAPI_STOPPED | bits);
    have_done(&child, 't');
    OK(PAPI_start(es));
    EQUAL(state_of(es), PAPI_RUNNING | bits);
    OK(PAPI_read(es, values)); /* it sleeps: a count of 0 is not an error */
    EQUAL(values[0], 0);
    test_touch_pages(PAGES); /* not the child's */
    have_done(&child, 't');
    OK(PAPI_read(es, values));
    COUNTED(values[0], PAGES);
    CHECK(values[1] > 0);
    COUNTED(values[2], PAGES);
    have_done(&child, 'f'); /* the grandchild's are not the child's */
    OK(PAPI_read(es, values));
    CHECK(values[0] >= PAGES && values[0] < 2 * PAGES);
    OK(PAPI_reset(es));
    have_done(&child, 't');
    OK(PAPI_stop(es, values));
    COUNTED(values[0], PAGES);
    have_done(&child, 't');
    OK(PAPI_read(es, values));
    COUNTED(values[0], PAGES);
    OK(PAPI_detach(es));
    EQUAL(target_of(es, 0), 0);
    OK(PAPI_read(es, values));
    COUNTED(values[0], PAGES);
    OK(PAPI_start(es));
    have_done(&child, 't');
    OK(PAPI_stop(es, values));
    CHECK(values[0] <= test_slack());
    CODE(PAPI_detach(es), PAPI_EINVAL);
    test_drop(es);
    order(&child, 'q');
    await(&child);
}

static void attached_to_a_child(void **state)
{
    int before;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    before = test_open_descriptors();
    for (int form = 0; form < 4; form++)
        count_a_child(form & 1, form >> 1);
    EQUAL(test_open_descriptors(), before);
}

/* The kernel may have exchanged the counters of a child with those of the one that it has started: that is
 * not the child's end. */
static void starts_beside_a_grandchild(void **state)
{
    (void)state;
    enum { TIMES = 20 };
    NEED_SOFTWARE_EVENTS();
    struct child child = make_child();
    int es = PAPI_NULL;
    long long value;
    PAPI_option_t option;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, 0));
    memset(&option, 0, sizeof option);
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    OK(PAPI_set_opt(PAPI_INHERIT, &option));
    OK(PAPI_attach(es, (unsigned long)child.pid));
    OK(PAPI_add_named_event(es, FAULTS));
    for (int i = 0; i < TIMES; i++) {
        OK(PAPI_start(es));
        have_done(&child, 't');
        OK(PAPI_stop(es, &value));
        COUNTED(value, PAGES);
        have_done(&child, 'g');
        OK(PAPI_start(es));
        have_done(&child, 'g'); /* the grandchild's work, and then the child's answer */
        OK(PAPI_stop(es, &value));
        COUNTED(value, PAGES);
    }
    order(&child, 'q');
    await(&child);
    CODE(PAPI_start(es), PAPI_ECLOST);
    test_drop(es);
}

/* Counts of a child outlive it, and a start after its end is refused. */
static void a_child_that_ends(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int multiplexed = 0; multiplexed < 2; multiplexed++) {
        struct child child = make_child();
        long long values[2], last[2];
        int es = test_set(FAULTS, CLOCK, NULL), empty = PAPI_NULL;

        OK(PAPI_create_eventset(&empty));
        OK(PAPI_attach(empty, (unsigned long)child.pid));
        if (multiplexed)
            OK(PAPI_set_multiplex(es));
        OK(PAPI_attach(es, (unsigned long)child.pid));
        OK(PAPI_start(es));
        have_done(&child, 't');
        order(&child, 'q');
        siginfo_t info;
        EQUAL(waitid(P_PID, (id_t)child.pid, &info, WEXITED | WNOWAIT), 0); /* still a zombie */
        CHECK(state_of(es) == (PAPI_RUNNING | (multiplexed ? PAPI_MULTIPLEXING : 0)));
        OK(PAPI_read(es, values));
        CHECK(values[0] >= PAGES && values[0] <= PAGES + 4 * test_slack());
        await(&child);
        EQUAL(state_of(es) & (PAPI_ATTACHED | PAPI_RUNNING), PAPI_RUNNING);
        EQUAL(state_of(empty), PAPI_STOPPED);
        EQUAL(target_of(es, 1), child.pid);
        OK(PAPI_read(es, last));
        EQUAL(last[0], values[0]);
        EQUAL(last[1], values[1]);
        OK(PAPI_stop(es, last));
        EQUAL(last[0], values[0]);
        CODE(PAPI_start(es), PAPI_ECLOST);
        CHECK(strstr(PAPI_strerror(PAPI_ECLOST), "has ended") != NULL);
        OK(PAPI_read(es, last));
        CODE(PAPI_add_named_event(es, MINOR), PAPI_EINVAL);
        CODE(PAPI_add_named_event(empty, MINOR), PAPI_EINVAL);
        OK(PAPI_detach(es));
        OK(PAPI_start(es));
        test_touch_pages(PAGES);
        OK(PAPI_stop(es, values));
        COUNTED(values[0], PAGES);
        test_drop(es);
        test_drop(empty);
    }
}

static void a_child_that_executes(void **state)
{
    struct child child;
    long long values[2], before;
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    child = make_child();
    es = test_set(FAULTS, CLOCK, NULL);
    OK(PAPI_attach(es, (unsigned long)child.pid));
    OK(PAPI_start(es));
    have_done(&child, 't');
    OK(PAPI_read(es, values));
    before = values[0];
    COUNTED(before, PAGES);
    order(&child, 'x');
    await(&child);
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= before + PAGES);
    test_drop(es);
}

/* SIGSTOP does not end the counting: it stands still. */
static void a_child_that_is_stopped(void **state)
{
    struct child child;
    long long values[2], again[2];
    int es, status;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    child = make_child();
    es = test_set(FAULTS, CLOCK, NULL);
    OK(PAPI_attach(es, (unsigned long)child.pid));
    OK(PAPI_start(es));
    have_done(&child, 't');
    EQUAL(kill(child.pid, SIGSTOP), 0);
    EQUAL(waitpid(child.pid, &status, WUNTRACED), child.pid);
    CHECK(WIFSTOPPED(status));
    OK(PAPI_read(es, values));
    COUNTED(values[0], PAGES);
    test_sleep(20);
    OK(PAPI_read(es, again));
    EQUAL(again[0], values[0]);
    EQUAL(again[1], values[1]);
    EQUAL(state_of(es), PAPI_RUNNING | PAPI_ATTACHED);
    EQUAL(kill(child.pid, SIGCONT), 0);
    have_done(&child, 't');
    OK(PAPI_stop(es, values));
    COUNTED(values[0], 2 * PAGES);
    test_drop(es);
    order(&child, 'q');
    await(&child);
}

/* The kernel's own account of a process that waits for orders, or -1 where it does not wait yet. */
static long long switches_now(pid_t pid)
{
    char path[64], line[256], run = 0;
    long long n, sum = 0;
    FILE *file;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    file = fopen(path, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "State: %c", &run) == 1)
            continue;
        if (sscanf(line, "voluntary_ctxt_switches: %lld", &n) == 1 ||
            sscanf(line, "nonvoluntary_ctxt_switches: %lld", &n) == 1)
            sum += n;
    }
    fclose(file);
    return run == 'S' ? sum : -1;
}

static long long settled_switches(pid_t pid)
{
    long long before, now = -1;
    do {
        before = now;
        test_sleep(5);
        now = switches_now(pid);
    } while (now < 0 || now != before);
    return now;
}

/* Exactly what the kernel has on its own account. */
static void the_switches_of_a_child(void **state)
{
    struct child child;
    long long before, values[1];
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    if (PAPI_query_named_event(SWITCHES) != PAPI_OK)
        SKIP("%s", PAPI_strerror(PAPI_EPERM));
    child = make_child();
    es = test_set(SWITCHES, NULL);
    OK(PAPI_attach(es, (unsigned long)child.pid));
    before = settled_switches(child.pid);
    OK(PAPI_start(es));
    have_done(&child, 's');
    CHECK(settled_switches(child.pid) >= before + 20);
    OK(PAPI_stop(es, values));
    EQUAL(values[0], switches_now(child.pid) - before);
    test_drop(es);
    order(&child, 'q');
    await(&child);
}

static atomic_int thread_number;
static pthread_barrier_t gate;

static void *work_when_told(void *unused)
{
    (void)unused;
    test_touch_pages(1);
    atomic_store(&thread_number, (int)syscall(SYS_gettid));
    for (int i = 0; i < 3; i++) {
        pthread_barrier_wait(&gate);
        test_touch_pages(PAGES);
        pthread_barrier_wait(&gate);
    }
    return NULL;
}

static void round_of_work(void)
{
    pthread_barrier_wait(&gate);
    pthread_barrier_wait(&gate);
}

static void attached_to_a_thread(void **state)
{
    long long values[1];
    pthread_t thread;
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    pthread_barrier_init(&gate, NULL, 2);
    atomic_store(&thread_number, 0);
    EQUAL(pthread_create(&thread, NULL, work_when_told, NULL), 0);
    round_of_work();
    OK(PAPI_attach(es, (unsigned long)atomic_load(&thread_number)));
    OK(PAPI_start(es));
    round_of_work();
    OK(PAPI_read(es, values));
    COUNTED(values[0], PAGES);
    /* Moves on to the own thread, by its number. */
    OK(PAPI_stop(es, NULL));
    OK(PAPI_attach(es, (unsigned long)syscall(SYS_gettid)));
    OK(PAPI_start(es));
    round_of_work();
    CHECK(state_of(es) & PAPI_ATTACHED);
    test_touch_pages(PAGES / 2);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], PAGES / 2);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&gate);
    test_drop(es);
}

/* ---- what cannot be had */

static void attached_to_nothing(void **state)
{
    struct child child;
    int es, empty = PAPI_NULL;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    OK(PAPI_create_eventset(&empty));
    child = make_child();
    order(&child, 'q');
    await(&child);
    CODE(PAPI_attach(es, (unsigned long)child.pid), PAPI_EINVAL);
    CHECK(strstr(PAPI_strerror(PAPI_EINVAL), "gettid") != NULL);
    CODE(PAPI_attach(empty, (unsigned long)child.pid), PAPI_EINVAL);
    EQUAL(state_of(es), PAPI_STOPPED);
    EQUAL(target_of(es, 0), 0);
    OK(PAPI_start(es)); /* it is as it was */
    test_drop(es);
    test_drop(empty);
}

static void attach_to_init(void *unused)
{
    int es = PAPI_NULL;
    (void)unused;
    PAPI_shutdown();
    if (geteuid() == 0)
        EQUAL(setresuid(65534, 65534, 65534), 0);
    test_init();
    OK(PAPI_create_eventset(&es));
    CODE(PAPI_attach(es, 1), PAPI_EPERM);
    CHECK(strstr(PAPI_strerror(PAPI_EPERM), "thread 1 ") != NULL ||
          PAPI_query_named_event(FAULTS) != PAPI_OK);
    CODE(set_option(PAPI_CPU_ATTACH, es, 0), PAPI_EPERM);
    CHECK(strstr(PAPI_strerror(PAPI_EPERM), "paranoid") != NULL);
    EQUAL(state_of(es), PAPI_STOPPED);
    test_drop(es);
}

static long long paranoid(void)
{
    long long level = 99;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
    if (file != NULL && fscanf(file, "%lld", &level) != 1)
        level = 99;
    if (file != NULL)
        fclose(file);
    return level;
}

static void without_permission(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    if (paranoid() < 1)
        SKIP("kernel.perf_event_paranoid allows everything");
    test_in_child(attach_to_init, NULL);
}

static void overflow_handler(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
}

static void what_the_component_says(void **state)
{
    const PAPI_component_info_t *info;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    info = PAPI_get_component_info(0);
    CHECK(info->attach && info->cpu && info->inherit && info->kernel_multiplex);
    CHECK(info->attach_must_ptrace); /* codes stop their child by this, or wait for it for ever */
    EQUAL(info->default_granularity, PAPI_GRN_THR);
    EQUAL(info->available_granularities, PAPI_GRN_THR | PAPI_GRN_SYS_CPU);
    EQUAL(info->num_mpx_cntrs, PAPI_get_opt(PAPI_MAX_MPX_CTRS, NULL));
    info = PAPI_get_component_info(PAPI_get_component_index("emulated"));
    CHECK(info != NULL && !info->attach && !info->cpu && info->inherit);
    EQUAL(info->available_granularities, PAPI_GRN_THR);
}

static void what_the_emulator_refuses(void **state)
{
    int es = PAPI_NULL, emulated;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    emulated = PAPI_get_component_index("emulated");
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, emulated));
    CODE(PAPI_attach(es, (unsigned long)getpid()), PAPI_ECMP);
    CHECK(PAPI_attach_process(es, getpid(), 0) < 0); /* this program does not run in it */
    CODE(set_option(PAPI_CPU_ATTACH, es, 0), PAPI_ECMP);
    OK(set_option(PAPI_INHERIT, es, PAPI_INHERIT_ALL)); /* all threads of the program */
    OK(PAPI_set_multiplex(es));                         /* all its events are counted all the time */
    test_drop(es);
    es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_attach(es, (unsigned long)getpid()));
    CODE(PAPI_assign_eventset_component(es, emulated), PAPI_ECMP);
    OK(PAPI_assign_eventset_component(es, 0));
    test_drop(es);
}

/* ---- inherited */

enum { THREADS = 4 };

static pthread_barrier_t worked;

static void *touch(void *unused)
{
    (void)unused;
    test_touch_pages(PAGES);
    pthread_barrier_wait(&worked); /* done, and alive */
    pthread_barrier_wait(&worked);
    return NULL;
}

/* Faults of all threads: their stacks and the C library's notes on them come on top. */
static void check_threads(long long got, long long wanted)
{
    if (got < wanted || got > wanted + 20 * THREADS + (THREADS + 1) * test_slack())
        fprintf(stderr, "%lld faults for %lld\n", got, wanted);
    CHECK(got >= wanted);
    CHECK(got <= wanted + 20 * THREADS + (THREADS + 1) * test_slack());
}

static void count_threads(int es, long long inherited)
{
    pthread_t threads[THREADS];
    long long values[2], joined[2];
    pthread_barrier_init(&worked, NULL, THREADS + 1);
    OK(PAPI_start(es));
    for (int i = 0; i < THREADS; i++)
        EQUAL(pthread_create(&threads[i], NULL, touch, NULL), 0);
    pthread_barrier_wait(&worked);
    OK(PAPI_read(es, values)); /* while they live */
    check_threads(values[0], inherited);
    pthread_barrier_wait(&worked);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    test_touch_pages(PAGES);
    OK(PAPI_read(es, joined));
    check_threads(joined[0], inherited + PAGES);
    CHECK(joined[0] >= values[0] + PAGES);
    OK(PAPI_reset(es));
    OK(PAPI_stop(es, values));
    CHECK(values[0] <= test_slack());
    pthread_barrier_destroy(&worked);
}

static void inherited_by_threads(void **state)
{
    PAPI_option_t option;
    int before, es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    before = test_open_descriptors();
    es = test_set(FAULTS, CLOCK, NULL);
    count_threads(es, 0);
    OK(set_option(PAPI_INHERIT, es, PAPI_INHERIT_ALL));
    memset(&option, 0, sizeof option);
    option.inherit.eventset = es;
    OK(PAPI_get_opt(PAPI_INHERIT, &option));
    EQUAL(option.inherit.inherit, PAPI_INHERIT_ALL);
    count_threads(es, THREADS * PAGES);
    count_threads(es, THREADS * PAGES);
    OK(PAPI_set_multiplex(es));
    count_threads(es, THREADS * PAGES);
    OK(set_option(PAPI_INHERIT, es, PAPI_INHERIT_NONE));
    count_threads(es, 0);
    test_drop(es);

    /* As the default of new sets. */
    OK(set_option(PAPI_INHERIT, PAPI_NULL, PAPI_INHERIT_ALL));
    es = test_set(FAULTS, CLOCK, NULL);
    OK(set_option(PAPI_INHERIT, PAPI_NULL, PAPI_INHERIT_NONE));
    count_threads(es, THREADS * PAGES);
    test_drop(es);
    es = test_set(FAULTS, CLOCK, NULL);
    count_threads(es, 0);
    test_drop(es);
    EQUAL(test_open_descriptors(), before);
}

static void inherited_by_processes(void **state)
{
    struct child child;
    long long values[2];
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, CLOCK, NULL);
    OK(set_option(PAPI_INHERIT, es, PAPI_INHERIT_ALL));
    OK(PAPI_start(es));
    in_grandchild();
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= PAGES);

    /* A child that attaches itself is counted alone, without the descendants of this process. */
    child = make_child();
    OK(PAPI_attach(es, (unsigned long)child.pid));
    EQUAL(state_of(es), PAPI_STOPPED | PAPI_ATTACHED);
    OK(PAPI_start(es));
    have_done(&child, 't');
    OK(PAPI_read(es, values));
    COUNTED(values[0], PAGES);
    have_done(&child, 'f');
    OK(PAPI_read(es, values));
    CHECK(values[0] >= 2 * PAGES);
    order(&child, 'q');
    await(&child);
    EQUAL(state_of(es), PAPI_RUNNING);
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= 2 * PAGES);
    CODE(PAPI_start(es), PAPI_ECLOST);
    test_drop(es);
}

/* ---- a CPU */

static void work_on_cpu(void *argument)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(*(int *)argument, &cpus);
    EQUAL(sched_setaffinity(0, sizeof cpus, &cpus), 0);
    test_touch_pages(PAGES);
}

/* The first CPU that this process may use. */
static int first_cpu(void)
{
    cpu_set_t cpus;
    int cpu = 0;
    EQUAL(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    while (!CPU_ISSET(cpu, &cpus))
        cpu++;
    return cpu;
}

static void attached_to_a_cpu(void **state)
{
    PAPI_option_t option;
    long long values[2];
    int es, cpu, before;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    cpu = first_cpu();
    before = test_open_descriptors();
    es = test_set(FAULTS, MINOR, NULL);
    if (set_option(PAPI_CPU_ATTACH, es, cpu) == PAPI_EPERM) {
        CHECK(strstr(PAPI_strerror(PAPI_EPERM), "CPU") != NULL);
        test_drop(es);
        SKIP("a whole CPU may not be counted: %s", PAPI_strerror(PAPI_EPERM));
    }
    EQUAL(state_of(es), PAPI_STOPPED | PAPI_CPU_ATTACHED);
    EQUAL(granularity_of(es), PAPI_GRN_SYS_CPU);
    OK(set_option(PAPI_GRANUL, es, PAPI_GRN_SYS_CPU));
    memset(&option, 0, sizeof option);
    option.cpu.eventset = es;
    EQUAL(PAPI_get_opt(PAPI_CPU_ATTACH, &option), 1);
    EQUAL(option.cpu.cpu_num, cpu);
    for (int multiplexed = 0; multiplexed < 2; multiplexed++) {
        OK(PAPI_start(es));
        test_in_child(work_on_cpu, &cpu);
        OK(PAPI_stop(es, values));
        CHECK(values[0] >= PAGES);
        if (!multiplexed)
            OK(PAPI_set_multiplex(es));
    }
    CODE(set_option(PAPI_INHERIT, es, PAPI_INHERIT_ALL), PAPI_EINVAL);
    CODE(PAPI_attach(es, (unsigned long)getpid()), PAPI_EINVAL);
    CODE(set_option(PAPI_CPU_ATTACH, es, 1000000), PAPI_EINVAL);
    CHECK(strstr(PAPI_strerror(PAPI_EINVAL), "CPU 1000000") != NULL);
    EQUAL(PAPI_get_opt(PAPI_CPU_ATTACH, &option), 1);
    OK(PAPI_detach(es));
    EQUAL(PAPI_get_opt(PAPI_CPU_ATTACH, &option), 0);
    EQUAL(granularity_of(es), PAPI_GRN_THR);
    OK(set_option(PAPI_CPU_ATTACH, es, cpu));
    OK(set_option(PAPI_GRANUL, es, PAPI_GRN_THR));
    EQUAL(state_of(es), PAPI_STOPPED | PAPI_MULTIPLEXING);
    test_drop(es);
    EQUAL(test_open_descriptors(), before);
}

/* ---- what goes together */

/* Settings of an event set, each of which is tried before and after each other one. */
enum wish { OVERFLOW, SOFTWARE, PROFILE, MULTIPLEX, OTHER, SELF, CPU, INHERIT, DOMAIN, GRANULARITY, WISHES };
static const char *const wish_names[WISHES] = {
    "overflow",
    "overflow by software",
    "profile",
    "multiplex",
    "attach to another thread",
    "attach to itself",
    "CPU",
    "inherit",
    "domain",
    "granularity",
};

/* docs/differences.md has this table for people. A pair is in both orders what it is in one: "." works, "E"
 * is PAPI_EINVAL, "C" PAPI_ECNFLCT; the diagonal is not asked. */
static const char *const pairs[WISHES] = {
    /*               OSPM TSCI DG */
    [OVERFLOW] = "   -C.E E.EE ..",     [SOFTWARE] = "   C-C. .... ..", [PROFILE] = "    .C-E E.EE ..",
    [MULTIPLEX] = "  E.E- .... ..",     [OTHER] = "      E.E. -.E. ..", [SELF] = "       .... .-E. ..",
    [CPU] = "        E.E. EE-E ..",     [INHERIT] = "    E.E. ..E- ..", [DOMAIN] = "     .... .... -.",
    [GRANULARITY] = "    .... .... .-",
};

static int wanted_code(enum wish a, enum wish b)
{
    const char *place = pairs[a];
    for (int i = -1; i < (int)b; place++)
        i += *place != ' ';
    return place[-1] == '.' ? PAPI_OK : place[-1] == 'E' ? PAPI_EINVAL : PAPI_ECNFLCT;
}

static int overflow_by(int es, int flags)
{
    return PAPI_overflow(es, test_code_of(FAULTS), 1000, flags, overflow_handler);
}

static int ask(int es, enum wish wish, pid_t other)
{
    static unsigned short histogram[64];
    switch (wish) {
    case OVERFLOW:
        return overflow_by(es, 0);
    case SOFTWARE:
        return overflow_by(es, PAPI_OVERFLOW_FORCE_SW);
    case PROFILE:
        return PAPI_profil(histogram, sizeof histogram, (vptr_t)overflow_handler, 65536, es,
                           test_code_of(FAULTS), 1000, PAPI_PROFIL_POSIX);
    case MULTIPLEX:
        return PAPI_set_multiplex(es);
    case OTHER:
        return PAPI_attach(es, (unsigned long)other);
    case SELF:
        return PAPI_attach(es, (unsigned long)syscall(SYS_gettid));
    case CPU:
        return set_option(PAPI_CPU_ATTACH, es, first_cpu());
    case INHERIT:
        return set_option(PAPI_INHERIT, es, PAPI_INHERIT_ALL);
    case DOMAIN:
        return set_option(PAPI_DOMAIN, es, PAPI_DOM_USER);
    default:
        return set_option(PAPI_GRANUL, es, PAPI_GRN_THR);
    }
}

static void check_pair(enum wish a, enum wish b, pid_t other)
{
    int es = test_set(FAULTS, NULL), before, code, wanted = wanted_code(a, b);
    OK(ask(es, a, other));
    before = state_of(es);
    code = ask(es, b, other);
    if (code != wanted)
        fprintf(stderr, "%s, then %s: %s\n", wish_names[a], wish_names[b],
                code < 0 ? PAPI_strerror(code) : "");
    EQUAL(code, wanted);
    if (code != PAPI_OK)
        EQUAL(state_of(es), before);
    /* The set counts, whether or not the second setting was accepted. */
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, NULL));
    test_drop(es);
}

static void pairs_in_both_orders(void **state)
{
    struct child child;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    child = make_child();
    for (int a = 0; a < WISHES; a++) {
        int alone = test_set(FAULTS, NULL);
        if (ask(alone, a, child.pid) == PAPI_EPERM)
            SKIP("%s: %s", wish_names[a], PAPI_strerror(PAPI_EPERM));
        test_drop(alone);
    }
    for (int a = 0; a < WISHES; a++)
        for (int b = 0; b < WISHES; b++)
            if (a != b) {
                EQUAL(wanted_code(a, b), wanted_code(b, a));
                check_pair(a, b, child.pid);
            }
    order(&child, 'q');
    await(&child);
}

static atomic_int calls;

static void count_call(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
    atomic_fetch_add(&calls, 1);
}

/* A set that is attached to its own thread can do all that a set without attachment can. */
static void attached_to_itself_overflows(void **state)
{
    long long value = -1;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int attach_first = 0; attach_first < 2; attach_first++) {
        int es = test_set(FAULTS, NULL);
        unsigned long self = (unsigned long)syscall(SYS_gettid);
        if (attach_first)
            OK(PAPI_attach(es, self));
        OK(PAPI_overflow(es, test_code_of(FAULTS), 10, 0, count_call));
        if (!attach_first)
            OK(PAPI_attach(es, self));
        EQUAL(target_of(es, 1), self);
        CHECK(state_of(es) & PAPI_ATTACHED);
        atomic_store(&calls, 0);
        OK(PAPI_start(es));
        test_touch_pages(PAGES);
        OK(PAPI_stop(es, &value));
        COUNTED(value, PAGES);
        EQUAL(atomic_load(&calls), value / 10);
        OK(PAPI_detach(es));
        EQUAL(state_of(es) & PAPI_ATTACHED, 0);
        test_drop(es);
    }
}

/* The kernel lets a process and its child exchange their counters at a switch between the two, where all are
 * inherited, and takes no more beside them. */
static void inherited_set_grows_after_a_fork(void **state)
{
    cpu_set_t before, one;
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, MINOR, NULL);
    OK(set_option(PAPI_INHERIT, es, PAPI_INHERIT_ALL));
    EQUAL(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    CPU_SET(first_cpu(), &one);
    EQUAL(sched_setaffinity(0, sizeof one, &one), 0);
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        EQUAL(waitpid(child, NULL, 0), child);
        OK(PAPI_add_named_event(es, MAJOR));
        OK(PAPI_remove_named_event(es, MAJOR));
    }
    EQUAL(sched_setaffinity(0, sizeof before, &before), 0);
    test_drop(es);
}

/* ---- after a fork */

static void use_after_fork(void *argument)
{
    const int *sets = argument;
    long long values[2];
    for (int i = 0; i < 2; i++) {
        CODE(PAPI_read(sets[i], values), PAPI_ECLOST);
        CODE(PAPI_start(sets[i]), PAPI_ECLOST);
    }
    CODE(PAPI_set_multiplex(sets[1]), PAPI_ECLOST);
    CODE(PAPI_attach(sets[1], (unsigned long)getpid()), PAPI_ECLOST);
    int es = test_set(FAULTS, NULL);
    OK(PAPI_set_multiplex(es));
    OK(PAPI_start(es));
    test_drop(es);
    PAPI_shutdown();
}

static void forms_after_a_fork(void **state)
{
    long long values[2];
    int sets[2];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    sets[0] = test_set(FAULTS, CLOCK, NULL);
    OK(PAPI_set_multiplex(sets[0]));
    sets[1] = test_set(FAULTS, CLOCK, NULL);
    OK(set_option(PAPI_INHERIT, sets[1], PAPI_INHERIT_ALL));
    OK(PAPI_start(sets[0]));
    OK(PAPI_start(sets[1]));
    test_in_child(use_after_fork, sets);
    test_touch_pages(PAGES);
    OK(PAPI_stop(sets[0], values));
    CHECK(values[0] >= PAGES && values[0] <= PAGES + 4 * test_slack());
    OK(PAPI_stop(sets[1], values));
    CHECK(values[0] >= PAGES);
    test_drop(sets[0]);
    test_drop(sets[1]);
}

/* PAPI_shutdown closes the descriptors of running multiplexed and attached sets. */
static void left_to_the_shutdown(void **state)
{
    int before, es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    before = test_open_descriptors();
    test_init();
    es = test_set(FAULTS, CLOCK, NULL);
    OK(PAPI_set_multiplex(es));
    OK(PAPI_start(es));
    es = test_set(FAULTS, CLOCK, NULL);
    OK(PAPI_attach(es, (unsigned long)getpid()));
    OK(PAPI_start(es));
    CHECK(test_open_descriptors() > before);
    PAPI_shutdown();
    EQUAL(test_open_descriptors(), before);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_timer),
        cmocka_unit_test(multiplexed_counts_are_exact),
        cmocka_unit_test(converted_with_its_events),
        cmocka_unit_test(multiplexing_in_the_old_order),
        cmocka_unit_test(derived_in_a_multiplexed_set),
        cmocka_unit_test(a_shortage_of_descriptors),
        cmocka_unit_test(attached_to_a_child),
        cmocka_unit_test(the_switches_of_a_child),
        cmocka_unit_test(a_child_that_ends),
        cmocka_unit_test(starts_beside_a_grandchild),
        cmocka_unit_test(a_child_that_executes),
        cmocka_unit_test(a_child_that_is_stopped),
        cmocka_unit_test(attached_to_a_thread),
        cmocka_unit_test(attached_to_nothing),
        cmocka_unit_test(without_permission),
        cmocka_unit_test(pairs_in_both_orders),
        cmocka_unit_test(inherited_set_grows_after_a_fork),
        cmocka_unit_test(attached_to_itself_overflows),
        cmocka_unit_test(what_the_component_says),
        cmocka_unit_test(what_the_emulator_refuses),
        cmocka_unit_test(inherited_by_threads),
        cmocka_unit_test(inherited_by_processes),
        cmocka_unit_test(attached_to_a_cpu),
        cmocka_unit_test(forms_after_a_fork),
        cmocka_unit_test(left_to_the_shutdown),
    };

    CHECK(readlink("/proc/self/exe", own_path, sizeof own_path - 1) > 0);
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return worker();
    return TEST_RUN(tests);
}
