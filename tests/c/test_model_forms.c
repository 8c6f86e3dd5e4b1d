/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random calls on event sets of all forms, in several threads at once, each compared with a model of what it
 * must return and count: multiplexed, inherited, attached to the own thread and to another process, with
 * overflows by hardware and by software, of the kernel's events and of the component io, and across forks.
 * test_model.c has presets and what one thread does to sets of one form.
 */
#include "testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SETS = 3, THREADS = 3, SEEDS = 8, STEPS = 3000, HISTORY = 24, THRESHOLD = 7 };

/* ---- the events: what one thread causes, and how much is told beforehand. Not perf::PAGE-FAULTS, of which
 * the kernel counts a fault twice that a signal has interrupted. */

enum cause { FAULT, NO_FAULT, BYTE, CALL, CAUSES };

static const struct event {
    const char *name;
    enum cause cause;
    bool io;
} events[] = {
    {MINOR, FAULT, false},    {"MINOR-FAULTS", FAULT, false},    {"MINOR-FAULTS:u", FAULT, false},
    {MAJOR, NO_FAULT, false}, {"io:::thread:wchar", BYTE, true}, {"io:::thread:syscw", CALL, true},
};

enum { EVENTS = sizeof events / sizeof *events };

static int codes[EVENTS];

/* ---- the model */

enum target { NOBODY, ITSELF, OTHER };
enum overflow { NONE, HARDWARE, SOFTWARE };

struct model {
    int es;
    bool running, bound, io, multiplex, inherit;
    enum target target;
    enum overflow overflow[EVENTS]; /* by event */
    int n, event[EVENTS];
    long long count[EVENTS]; /* by event: the value */
    long long since_start[EVENTS];
    long long strange; /* faults beside the known ones when the values were last exact */
    long long strange_at_start;
    atomic_int calls[EVENTS]; /* by position */
};

struct thread {
    struct model set[SETS];
    unsigned seed;
    uint64_t chance;
    int step, n_calls;
    char calls[HISTORY][80];
    bool failed;
    long long touched, faults_before;
    long long other_touched, other_faults, other_before; /* of the other process, when it last answered */
    int order, answer, sink;                             /* of the other process, and where bytes go */
    pid_t other;
};

static _Thread_local struct thread *self;

static bool has(const struct model *set, int event)
{
    for (int i = 0; i < set->n; i++)
        if (set->event[i] == event)
            return true;
    return false;
}

static enum overflow form_of_overflows(const struct model *set)
{
    for (int i = 0; i < EVENTS; i++)
        if (set->overflow[i] != NONE)
            return set->overflow[i];
    return NONE;
}

/* ---- comparing */

static long long strange_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt - self->faults_before - self->touched;
}

static void note(const struct model *set, const char *call, const char *argument)
{
    snprintf(self->calls[self->n_calls++ % HISTORY], sizeof self->calls[0], "step %d, set %d: %s %s",
             self->step, (int)(set - self->set), call, argument);
}

static void disagree(const char *what, long long got, long long wanted)
{
    if (self->failed)
        return;
    self->failed = true;
    flockfile(stderr);
    fprintf(stderr, "seed %u, step %d: %s is %lld, not %lld (%s). The last calls:\n", self->seed, self->step,
            what, got, wanted, got < 0 ? PAPI_strerror((int)got) : "");
    for (int i = 0; i < SETS; i++)
        fprintf(stderr, "  set %d: %d events of %s, %s%s%s, attached %d, overflow %d\n", i, self->set[i].n,
                self->set[i].io ? "io" : "the kernel", self->set[i].running ? "running" : "stopped",
                self->set[i].multiplex ? ", multiplexed" : "", self->set[i].inherit ? ", inherited" : "",
                self->set[i].target, form_of_overflows(&self->set[i]));
    for (int i = self->n_calls > HISTORY ? self->n_calls - HISTORY : 0; i < self->n_calls; i++)
        fprintf(stderr, "  %s\n", self->calls[i % HISTORY]);
    funlockfile(stderr);
}

static void same(const char *what, long long got, long long wanted)
{
    if (got != wanted)
        disagree(what, got, wanted);
}

static long long most_more(const struct event *event, long long since)
{
    return event->cause == FAULT ? strange_faults() - since : 0;
}

static void let_other_touch(int n);

/* The other process's beside the known ones, since it was made. */
static long long strange_of_other(void)
{
    let_other_touch(0);
    return self->other_faults - self->other_before - self->other_touched;
}

static void same_values(const struct model *set, const long long *values)
{
    for (int i = 0; i < set->n; i++) {
        const struct event *event = &events[set->event[i]];
        long long wanted = set->count[set->event[i]], got = values[i];
        if (got == wanted)
            continue;
        long long more = most_more(event, set->strange) + (event->cause == FAULT ? strange_of_other() : 0);
        if (got < wanted || got > wanted + more)
            disagree(event->name, got, wanted);
    }
}

static void check_values(const struct model *set)
{
    long long values[EVENTS];
    int wanted = set->n > 0 ? PAPI_OK : PAPI_EINVAL, code = PAPI_read(set->es, values);
    same("PAPI_read", code, wanted);
    if (set->n > 0 && code == PAPI_OK)
        same_values(set, values);
}

static void check_set(const struct model *set)
{
    int state = 0, wanted = set->running ? PAPI_RUNNING : PAPI_STOPPED;
    wanted |= set->multiplex ? PAPI_MULTIPLEXING : 0;
    wanted |= set->target != NOBODY ? PAPI_ATTACHED : 0;
    wanted |= form_of_overflows(set) != NONE ? PAPI_OVERFLOWING : 0;
    same("PAPI_state", PAPI_state(set->es, &state), PAPI_OK);
    same("the state", state, wanted);
    same("PAPI_num_events", PAPI_num_events(set->es), set->n);
}

/* ---- work of a known amount */

static void count(struct model *set, enum cause cause, long long n)
{
    for (int i = 0; i < set->n; i++)
        if (events[set->event[i]].cause == cause) {
            set->count[set->event[i]] += n;
            set->since_start[set->event[i]] += n;
        }
}

static void count_all(bool others, enum cause cause, long long n)
{
    for (int i = 0; i < SETS; i++)
        if (self->set[i].running && (self->set[i].target == OTHER) == others)
            count(&self->set[i], cause, n);
}

static void touch(int n)
{
    if (n > 0)
        test_touch_pages(n);
    self->touched += n;
    count_all(false, FAULT, n);
}

static void put(int n)
{
    static const char bytes[64];
    if (write(self->sink, bytes, (size_t)n) != n)
        disagree("write", n, -1);
    count_all(false, BYTE, n);
    count_all(false, CALL, 1);
}

/* Has the other process touch n pages: sends it one byte and receives its number of faults. For the own
 * thread this is a write of one byte. */
static void let_other_touch(int n)
{
    char order = (char)n;
    long long faults = -1;
    if (write(self->order, &order, 1) != 1 || read(self->answer, &faults, sizeof faults) != sizeof faults)
        disagree("the other process's answer", faults, n);
    self->other_faults = faults;
    self->other_touched += n;
    count_all(false, BYTE, 1);
    count_all(false, CALL, 1);
    count_all(true, FAULT, n);
}

static _Noreturn void obey(int order, int answer)
{
    char n;
    struct rusage usage;
    while (read(order, &n, 1) == 1) {
        if (n > 0)
            test_touch_pages(n);
        getrusage(RUSAGE_SELF, &usage);
        long long faults = usage.ru_minflt + usage.ru_majflt;
        if (write(answer, &faults, sizeof faults) != sizeof faults)
            break;
    }
    _exit(0);
}

static void make_other(void)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        abort();
    self->other = fork();
    if (self->other == 0) {
        close(to[1]);
        close(from[0]);
        obey(to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    self->order = to[1];
    self->answer = from[0];
    let_other_touch(1); /* what is used for the first time faults once */
    let_other_touch(1);
    self->other_before = self->other_faults - self->other_touched;
}

/* The other threads' processes have the ends of its pipes, too. */
static void end_other(void)
{
    kill(self->other, SIGKILL);
    close(self->order);
    close(self->answer);
    waitpid(self->other, NULL, 0);
}

/* ---- the calls */

static int any(int n)
{
    self->chance = self->chance * 6364136223846793005U + 1442695040888963407U;
    return (int)((self->chance >> 33) % (unsigned)n);
}

/* strange: the strange faults when the call began that moved the values. */
static void zero(struct model *set, long long strange)
{
    memset(set->count, 0, sizeof set->count);
    set->strange = strange;
}

static int unless_running(const struct model *set)
{
    return set->running ? PAPI_EISRUN : PAPI_OK;
}

static void add(struct model *set)
{
    int event = any(EVENTS), wanted = unless_running(set);
    if (wanted == PAPI_OK && has(set, event))
        wanted = PAPI_EINVAL;
    else if (wanted == PAPI_OK && set->bound && set->io != events[event].io)
        wanted = PAPI_ECNFLCT;
    else if (wanted == PAPI_OK && events[event].io && set->target != NOBODY)
        wanted = PAPI_ECMP; /* it attaches to nobody */
    note(set, "add", events[event].name);
    same("PAPI_add_event", PAPI_add_event(set->es, codes[event]), wanted);
    if (wanted == PAPI_OK) {
        set->bound = true;
        set->io = events[event].io;
        set->event[set->n++] = event;
        set->count[event] = 0;
    }
    check_values(set);
}

static void take_away(struct model *set)
{
    int event = any(EVENTS), wanted = unless_running(set);
    if (wanted == PAPI_OK && !has(set, event))
        wanted = PAPI_EINVAL;
    note(set, "remove", events[event].name);
    same("PAPI_remove_event", PAPI_remove_event(set->es, codes[event]), wanted);
    for (int i = 0; i < set->n && wanted == PAPI_OK; i++)
        if (set->event[i] == event) {
            set->n--;
            memmove(&set->event[i], &set->event[i + 1], (size_t)(set->n - i) * sizeof *set->event);
        }
    if (wanted == PAPI_OK)
        set->overflow[event] = NONE;
    check_values(set);
}

static void start(struct model *set)
{
    int wanted = set->running ? PAPI_EISRUN : set->n == 0 ? PAPI_EINVAL : PAPI_OK;
    note(set, "start", "");
    if (wanted == PAPI_OK) {
        for (int i = 0; i < EVENTS; i++)
            atomic_store(&set->calls[i], 0);
        memset(set->since_start, 0, sizeof set->since_start);
        zero(set, strange_faults());
        set->strange_at_start = set->strange;
    }
    same("PAPI_start", PAPI_start(set->es), wanted);
    set->running |= wanted == PAPI_OK;
}

/* Every overflow is a call, whatever was done to the values meanwhile. */
static void check_calls(const struct model *set)
{
    for (int i = 0; i < set->n; i++) {
        int event = set->event[i], got = atomic_load(&set->calls[i]);
        long long n = set->since_start[event], more = most_more(&events[event], set->strange_at_start);
        if (set->overflow[event] == HARDWARE && (got < n / THRESHOLD || got > (n + more) / THRESHOLD))
            disagree("the number of calls", got, n / THRESHOLD);
        if (set->overflow[event] == NONE && got != 0)
            disagree("the number of calls without overflows", got, 0);
    }
}

static void stop(struct model *set)
{
    int wanted = set->running ? PAPI_OK : PAPI_ENOTRUN;
    long long values[EVENTS];
    bool ask = any(2);
    note(set, "stop", ask ? "with values" : "without values");
    same("PAPI_stop", PAPI_stop(set->es, ask ? values : NULL), wanted);
    set->running = false;
    if (wanted != PAPI_OK || self->failed)
        return;
    if (ask)
        same_values(set, values);
    check_calls(set);
}

static void look(struct model *set)
{
    note(set, "read", "");
    check_values(set);
}

static void accumulate(struct model *set)
{
    long long values[EVENTS] = {0}, strange = strange_faults();
    int code;
    note(set, "accum", "");
    code = PAPI_accum(set->es, values);
    same("PAPI_accum", code, set->n > 0 ? PAPI_OK : PAPI_EINVAL);
    if (code == PAPI_OK)
        same_values(set, values);
    zero(set, strange);
}

static void reset(struct model *set)
{
    long long strange = strange_faults();
    note(set, "reset", "");
    same("PAPI_reset", PAPI_reset(set->es), set->n > 0 ? PAPI_OK : PAPI_EINVAL);
    zero(set, strange);
}

static void set_values(struct model *set)
{
    long long values[EVENTS], strange = strange_faults();
    for (int i = 0; i < set->n; i++)
        values[i] = any(1000) - 500;
    note(set, "write", "");
    same("PAPI_write", PAPI_write(set->es, values), set->n > 0 ? PAPI_OK : PAPI_EINVAL);
    for (int i = 0; i < set->n; i++)
        set->count[set->event[i]] = values[i];
    set->strange = strange;
    check_values(set);
}

/* ---- the forms */

static int unless_overflowing(const struct model *set)
{
    return form_of_overflows(set) == HARDWARE ? PAPI_EINVAL : PAPI_OK;
}

static void multiplex(struct model *set)
{
    int wanted = unless_running(set);
    if (wanted == PAPI_OK)
        wanted = set->multiplex ? PAPI_EINVAL : unless_overflowing(set);
    note(set, "multiplex", "");
    same("PAPI_set_multiplex", PAPI_set_multiplex(set->es), wanted);
    set->multiplex |= wanted == PAPI_OK;
    check_values(set);
}

static void attach(struct model *set)
{
    enum target target = any(2) ? ITSELF : OTHER;
    long tid = target == OTHER ? self->other : syscall(SYS_gettid);
    int wanted = unless_running(set);
    if (wanted == PAPI_OK && target == OTHER)
        wanted = unless_overflowing(set);
    if (wanted == PAPI_OK && set->bound && set->io)
        wanted = PAPI_ECMP;
    note(set, "attach", target == OTHER ? "to another" : "to itself");
    same("PAPI_attach", PAPI_attach(set->es, (unsigned long)tid), wanted);
    if (wanted == PAPI_OK)
        set->target = target;
    check_values(set);
}

static void detach(struct model *set)
{
    int wanted = unless_running(set);
    if (wanted == PAPI_OK && set->target == NOBODY)
        wanted = PAPI_EINVAL;
    note(set, "detach", "");
    same("PAPI_detach", PAPI_detach(set->es), wanted);
    if (wanted == PAPI_OK)
        set->target = NOBODY;
    check_values(set);
}

static void inherit(struct model *set)
{
    PAPI_option_t option;
    bool on = any(2);
    int wanted = unless_running(set);
    if (wanted == PAPI_OK && on)
        wanted = unless_overflowing(set);
    memset(&option, 0, sizeof option);
    option.inherit.eventset = set->es;
    option.inherit.inherit = on ? PAPI_INHERIT_ALL : PAPI_INHERIT_NONE;
    note(set, "inherit", on ? "on" : "off");
    same("PAPI_set_opt(PAPI_INHERIT)", PAPI_set_opt(PAPI_INHERIT, &option), wanted);
    if (wanted == PAPI_OK)
        set->inherit = on;
    check_values(set);
}

/* Overflow handler; it runs in the set's own thread, so it may read the set. */
static void on_overflow(int es, void *address, long long vector, void *context)
{
    long long values[EVENTS];
    (void)address, (void)context;
    for (int i = 0; i < SETS; i++)
        if (self->set[i].es == es) {
            for (int event = 0; event < EVENTS; event++)
                if (vector >> event & 1)
                    atomic_fetch_add(&self->set[i].calls[event], 1);
            same("PAPI_read in a handler", PAPI_read(es, values), PAPI_OK);
        }
}

static int wanted_of_overflow(const struct model *set, int event, int threshold, enum overflow form)
{
    enum overflow before = form_of_overflows(set);
    if (set->running)
        return PAPI_EISRUN;
    if (!has(set, event))
        return PAPI_EINVAL;
    if (threshold == 0)
        return PAPI_OK;
    if (before != NONE && before != form)
        return PAPI_ECNFLCT;
    if (form == HARDWARE && (set->multiplex || set->inherit || set->target == OTHER))
        return PAPI_EINVAL;
    return PAPI_OK;
}

/* Sets or removes an overflow; component io delivers them by software, also where that is not forced. */
static void overflow(struct model *set)
{
    int event = any(EVENTS), threshold = any(4) ? THRESHOLD : 0;
    bool force = any(3) == 0;
    enum overflow form = force || events[event].io ? SOFTWARE : HARDWARE;
    int wanted = wanted_of_overflow(set, event, threshold, form);
    note(set,
         threshold == 0 ? "no overflow of"
         : force        ? "overflow by software of"
                        : "overflow of",
         events[event].name);
    same("PAPI_overflow",
         PAPI_overflow(set->es, codes[event], threshold, force ? PAPI_OVERFLOW_FORCE_SW : 0, on_overflow),
         wanted);
    if (wanted == PAPI_OK)
        set->overflow[event] = threshold != 0 ? form : NONE;
    check_values(set);
}

/* ---- the life of sets and processes */

static void clean_up(struct model *set)
{
    if (any(4) > 0) /* or no set would ever be large */
        return;
    note(set, "cleanup", "");
    same("PAPI_cleanup_eventset", PAPI_cleanup_eventset(set->es), unless_running(set));
    if (set->running)
        return;
    set->n = 0;
    set->bound = false;
    memset(set->overflow, 0, sizeof set->overflow);
    if (any(2)) {
        int stale = set->es;
        same("PAPI_destroy_eventset", PAPI_destroy_eventset(&set->es), PAPI_OK);
        same("PAPI_start of a stale handle", PAPI_start(stale), PAPI_ENOEVST);
        same("PAPI_create_eventset", PAPI_create_eventset(&set->es), PAPI_OK);
        set->multiplex = set->inherit = false;
        set->target = NOBODY;
    }
}

/* The child has no counters of the parent's, and may make its own. */
static _Noreturn void in_the_child(void)
{
    long long values[EVENTS];
    int es = PAPI_NULL;
    for (int i = 0; i < SETS; i++) {
        const struct model *set = &self->set[i];
        int lost = set->n > 0 ? PAPI_ECLOST : PAPI_OK;
        if (lost != PAPI_OK) {
            same("PAPI_read in the child", PAPI_read(set->es, values), lost);
            same("PAPI_accum in the child", PAPI_accum(set->es, values), lost);
            same("PAPI_stop in the child", PAPI_stop(set->es, values), lost);
            same("PAPI_set_multiplex in the child", PAPI_set_multiplex(set->es),
                 set->multiplex ? PAPI_EINVAL : lost);
        }
    }
    same("PAPI_create_eventset in the child", PAPI_create_eventset(&es), PAPI_OK);
    same("PAPI_add_event in the child", PAPI_add_event(es, codes[4]), PAPI_OK);
    same("PAPI_start in the child", PAPI_start(es), PAPI_OK);
    if (write(self->sink, "12345", 5) != 5)
        disagree("write in the child", 0, 5);
    same("PAPI_stop in the child", PAPI_stop(es, values), PAPI_OK);
    same("bytes in the child", values[0], 5);
    PAPI_shutdown();
    _exit(self->failed);
}

/* Forks, unless a set inherits: a child's faults are more than are known. */
static void fork_one(struct model *set)
{
    int status = -1;
    for (int i = 0; i < SETS; i++)
        if (self->set[i].inherit && self->set[i].running)
            return;
    if (any(10) > 0)
        return;
    note(set, "fork", "");
    pid_t child = fork();
    if (child == 0)
        in_the_child();
    waitpid(child, &status, 0);
    same("a child's status", status, 0);
    check_values(set);
}

/* ---- the test */

static void (*const operations[])(struct model *) = {
    add,   add,        add,       take_away, start,  start,   start,    stop,     look,     accumulate,
    reset, set_values, multiplex, attach,    detach, inherit, overflow, overflow, clean_up, fork_one};

static void begin(void)
{
    struct rusage usage;
    self->n_calls = 0;
    self->touched = 0;
    getrusage(RUSAGE_THREAD, &usage);
    self->faults_before = usage.ru_minflt + usage.ru_majflt;
    self->chance = self->seed;
    for (int i = 0; i < SETS; i++) {
        memset(&self->set[i], 0, sizeof self->set[i]);
        self->set[i].es = PAPI_NULL;
        same("PAPI_create_eventset", PAPI_create_eventset(&self->set[i].es), PAPI_OK);
    }
}

static void one_step(void)
{
    struct model *set = &self->set[any(SETS)];
    operations[any((int)(sizeof operations / sizeof *operations))](set);
    check_set(set);
    touch(any(5));
    if (any(3) == 0)
        put(any(64));
    if (any(3) == 0)
        let_other_touch(any(5));
}

static void end(void)
{
    for (int i = 0; i < SETS; i++) {
        if (self->set[i].running)
            PAPI_stop(self->set[i].es, NULL);
        same("PAPI_cleanup_eventset", PAPI_cleanup_eventset(self->set[i].es), PAPI_OK);
        same("PAPI_destroy_eventset", PAPI_destroy_eventset(&self->set[i].es), PAPI_OK);
    }
}

/* cmocka's handlers leave a test by a jump, which only its own thread can. */
static void crash_as_usual(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
}

static void *run(void *argument)
{
    crash_as_usual();
    self = argument;
    begin();
    make_other();
    for (self->step = 0; self->step < STEPS && !self->failed; self->step++)
        one_step();
    end();
    end_other();
    return NULL;
}

static void run_threads(unsigned first, int n)
{
    static struct thread threads[THREADS];
    pthread_t number[THREADS];
    for (int i = 0; i < n; i++) {
        memset(&threads[i], 0, sizeof threads[i]);
        threads[i].seed = first + (unsigned)i;
        threads[i].sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
        EQUAL(pthread_create(&number[i], NULL, run, &threads[i]), 0);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(number[i], NULL);
        close(threads[i].sink);
    }
    for (int i = 0; i < n; i++)
        EQUAL(threads[i].failed, false);
}

static void find_events(void)
{
    for (int i = 0; i < EVENTS; i++) {
        codes[i] = test_code_of(events[i].name);
        if (PAPI_query_event(codes[i]) != PAPI_OK)
            SKIP("%s does not count here: %s", events[i].name, PAPI_strerror(PAPI_query_event(codes[i])));
    }
}

/* The number of runs; more by hand: TEST_SEEDS=1000. */
static unsigned seeds(void)
{
    const char *text = getenv("TEST_SEEDS");
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : SEEDS;
}

static void random_calls(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    find_events();
    for (unsigned seed = 1; seed <= seeds(); seed++)
        run_threads(seed, 1);
}

static void random_calls_in_threads(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    find_events();
    for (unsigned i = 1; i <= seeds(); i++)
        run_threads(i * 1000, THREADS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_calls),
        cmocka_unit_test(random_calls_in_threads),
    };

    return TEST_RUN(tests);
}
