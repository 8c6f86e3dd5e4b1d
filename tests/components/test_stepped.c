/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A signal handler between any two instructions of a call: the program traps after each one. At one of them
 * the handler changes the event set, and at those that follow it reads it.
 */
#include "../stepping.h"
#include "folder.h"

#include <sde_lib.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifdef STEPPING

/* The event that the set counts, and the program's work that causes it. */
struct subject {
    const char *event;
    void (*work)(int n);     /* so many of the event */
    long long (*done)(void); /* how many there were at the most; it only grows */
    int more;                /* that a check adds */
    void (*form)(int es);    /* what the set is, before it has the event; or NULL */
    void (*finish)(int es);  /* and with it; or NULL */
    int begins, stride;      /* how many instructions are tried one by one, and which of the rest */
    int looks;               /* after how many of those that follow the change the handler reads */
};

static const struct subject *subject;
static long long began; /* what was done when the set was started first */
static int used;

/* ---- the work */

static volatile long long steps;

static void make_steps(int n)
{
    steps += n;
}

static long long steps_made(void)
{
    return steps;
}

static volatile char *page;

static void make_faults(int n)
{
    for (int i = 0; i < n; i++) {
        madvise((void *)(uintptr_t)page, 1, MADV_DONTNEED);
        page[0] = 1;
    }
}

static long long faults_made(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

/* ---- what is called, in the program and in the handler */

static void call_read(void)
{
    long long value;
    PAPI_read(used, &value);
}

static void call_accum(void)
{
    long long value = 0;
    PAPI_accum(used, &value);
}

static void call_reset(void)
{
    PAPI_reset(used);
}

static void call_start(void)
{
    PAPI_start(used);
}

static void call_stop(void)
{
    long long value;
    PAPI_stop(used, &value);
}

static void call_write(void)
{
    long long value = 0;
    PAPI_write(used, &value);
}

static void call_stop_start(void)
{
    call_stop();
    call_start();
}

static void call_stop_reset(void)
{
    call_stop();
    call_reset();
}

static void call_stop_reset_start(void)
{
    call_stop_reset();
    call_start();
}

static void call_start_stop(void)
{
    call_start();
    call_stop();
}

static void call_start_reset(void)
{
    call_start();
    call_reset();
}

struct call {
    const char *name;
    void (*call)(void);
};

static const struct call calls[] = {
    {"read", call_read},
    {"accum", call_accum},
    {"reset", call_reset},
    {"start", call_start},
    {"stop", call_stop},
    {"write", call_write},
    {"stop, start", call_stop_start},
    {"stop, reset", call_stop_reset},
    {"stop, reset, start", call_stop_reset_start},
    {"start, stop", call_start_stop},
    {"start, reset", call_start_reset},
};
enum { N_CALLS = sizeof calls / sizeof calls[0], N_PROGRAM = 6 };

/* ---- the handler */

static volatile int at, change_at; /* instructions of the call; where it changes the set */
static volatile long long wrong_value, wrong_at;
static void (*volatile change)(void);

static void look(void)
{
    long long value = -1;
    int code = PAPI_read(used, &value);
    if (wrong_at == 0 && (code != PAPI_OK || value < 0 || value > subject->done() - began)) {
        wrong_value = code != PAPI_OK ? code : value;
        wrong_at = at;
    }
}

/* Steps through the program; stands for the handler of a timer, which does not come while that is blocked. */
static void trap(int number, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    (void)number, (void)info;
    if (sigismember(&interrupted->uc_sigmask, SIGALRM))
        return;
    at++;
    if (at < change_at)
        return;
    if (at == change_at)
        change();
    else
        look();
    subject->work(1);
    if (at == change_at + subject->looks)
        step_no_more(interrupted);
}

/* ---- a set that is whole */

static const char *first, *second; /* the calls */

#define WHOLE(got, wanted)                                                                                   \
    do {                                                                                                     \
        long long got_ = (got), wanted_ = (wanted);                                                          \
        if (got_ != wanted_)                                                                                 \
            fail_msg("line %d: %s, with %s at instruction %d: %lld, not %lld (%s)", __LINE__, first, second, \
                     change_at, got_, wanted_, got_ < 0 ? PAPI_strerror((int)got_) : "");                    \
    } while (0)

static long long value_now(void)
{
    long long value = -1;
    WHOLE(PAPI_read(used, &value), PAPI_OK);
    return value;
}

/* The value of as much work as there is between it and what was done once; work of others may add to it. */
#define GREW(value, runs, since)                                                                             \
    do {                                                                                                     \
        long long grew_ = (value), most_ = subject->done() - (since);                                        \
        WHOLE((runs) ? grew_ >= subject->more &&grew_ <= most_ : grew_ == 0, 1);                             \
    } while (0)

/* Work that is done while the set is stopped is not in the next run. */
static void check_restarts(bool runs)
{
    long long value = -1;
    if (runs)
        WHOLE(PAPI_stop(used, &value), PAPI_OK);
    subject->work(subject->more);
    long long since = subject->done();
    WHOLE(PAPI_start(used), PAPI_OK);
    WHOLE(value_now() <= subject->done() - since, 1);
    if (!runs)
        WHOLE(PAPI_stop(used, &value), PAPI_OK);
}

/* Counts go on if its state is that, and only then; and all calls work. */
static void check_whole(void)
{
    int state = 0;
    long long since = subject->done(), value = value_now(), sum = 5;
    WHOLE(wrong_at > 0 ? wrong_value : 0, 0);
    WHOLE(value >= 0 && value <= since - began, 1);
    WHOLE(PAPI_state(used, &state), PAPI_OK);
    bool runs = state & PAPI_RUNNING;
    subject->work(subject->more);
    GREW(value_now() - value, runs, since);
    WHOLE(PAPI_accum(used, &sum), PAPI_OK);
    GREW(sum - 5 - value, runs, since);
    since = subject->done();
    subject->work(subject->more);
    GREW(value_now(), runs, since);
    WHOLE(PAPI_reset(used), PAPI_OK);
    check_restarts(runs);
}

/* The set as it is before: running or stopped, with or without a value. */
static void prepare(bool runs)
{
    long long value;
    int state = 0;
    WHOLE(PAPI_state(used, &state), PAPI_OK);
    if ((state & PAPI_RUNNING) == 0)
        WHOLE(PAPI_start(used), PAPI_OK);
    WHOLE(PAPI_reset(used), PAPI_OK);
    began = subject->done();
    subject->work(7);
    if (!runs)
        WHOLE(PAPI_stop(used, &value), PAPI_OK);
    wrong_at = 0;
}

/* True if the change came before the call was over. */
static bool interrupt(const struct call *program, const struct call *handler, int where, bool runs)
{
    first = program->name;
    second = handler->name;
    change = handler->call;
    change_at = where;
    prepare(runs);
    at = 0;
    step_through(program->call);
    bool came = at >= change_at;
    check_whole();
    return came;
}

/* The state in which the program's call does something, or the handler's. */
static bool is_to_run(const struct call *program, const struct call *handler)
{
    if (program->call == call_start)
        return false;
    return program->call == call_stop || strncmp(handler->name, "start", 5) != 0;
}

static int apart = 8; /* 1: with an argument, which takes eight times as long */

/* Every instruction where a call begins, which is where it looks at the set, and every few ones of the rest,
 * which are others for each of the handler's calls. */
static int after(int where)
{
    return where + (where < subject->begins ? 1 : apart * subject->stride);
}

static void interrupt_all(void)
{
    int starts = subject->begins > 0 ? 4 : apart * subject->stride;
    for (int p = 0; p < N_PROGRAM; p++)
        for (int h = 0; h < N_CALLS; h++)
            for (int where = 4 + (5 * p + h) % starts;
                 interrupt(&calls[p], &calls[h], where, is_to_run(&calls[p], &calls[h]));)
                where = after(where);
}

static void make_set(void)
{
    used = PAPI_NULL;
    WHOLE(PAPI_create_eventset(&used), PAPI_OK);
    if (subject->form != NULL)
        subject->form(used);
    WHOLE(PAPI_add_named_event(used, subject->event), PAPI_OK);
    if (subject->finish != NULL)
        subject->finish(used);
}

static void begin_with(const struct subject *of)
{
    step_with(trap);
    begin_here();
    papi_sde_register_counter(papi_sde_init("stepped"), "steps", PAPI_SDE_RW | PAPI_SDE_DELTA,
                              PAPI_SDE_long_long, (void *)(uintptr_t)&steps);
    page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    subject = of;
    first = second = "preparing";
    make_set();
}

static const struct subject variable = {
    .event = "sde:::stepped::steps",
    .work = make_steps,
    .done = steps_made,
    .more = 1000,
    .begins = 40,
    .stride = 7,
    .looks = 1000,
};

static void of_a_variable(void **state)
{
    (void)state;
    begin_with(&variable);
    interrupt_all();
}

/* ---- the kernel's counters */

static void need_software_events(void)
{
    begin_here();
    int code = PAPI_query_named_event("perf::PAGE-FAULTS");
    if (code != PAPI_OK) {
        printf("SKIP: perf::PAGE-FAULTS: %s\n", PAPI_strerror(code));
        skip();
    }
    PAPI_shutdown();
}

static void faults_of(void (*form)(int es), void (*finish)(int es))
{
    const struct subject faults = {
        .event = "perf::PAGE-FAULTS",
        .work = make_faults,
        .done = faults_made,
        .more = 5,
        .form = form,
        .finish = finish,
        .stride = 4,
        .looks = 10,
    };
    need_software_events();
    begin_with(&faults);
    interrupt_all();
}

static void of_the_kernel(void **state)
{
    (void)state;
    faults_of(NULL, NULL);
}

static void multiplex(int es)
{
    WHOLE(PAPI_assign_eventset_component(es, PAPI_get_component_index("perf_event")), PAPI_OK);
    WHOLE(PAPI_set_multiplex(es), PAPI_OK);
}

static void of_a_multiplexed_set(void **state)
{
    (void)state;
    faults_of(multiplex, NULL);
}

static void on_overflow(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
}

static void overflow(int es, int flags)
{
    enum { NEVER = 1000000000 };
    int code;
    WHOLE(PAPI_event_name_to_code("perf::PAGE-FAULTS", &code), PAPI_OK);
    WHOLE(PAPI_overflow(es, code, NEVER, flags, on_overflow), PAPI_OK);
}

static void by_the_kernel(int es)
{
    overflow(es, 0);
}

static void by_a_timer(int es)
{
    overflow(es, PAPI_OVERFLOW_FORCE_SW);
}

static void of_overflows_by_the_kernel(void **state)
{
    (void)state;
    faults_of(NULL, by_the_kernel);
}

static void of_overflows_by_a_timer(void **state)
{
    (void)state;
    faults_of(NULL, by_a_timer);
}

/* ---- calls that are left */

static sigjmp_buf out;

static void jump_out(void)
{
    siglongjmp(out, 1);
}

/* A handler that leaves an interrupted call by siglongjmp: the set can be emptied and used afterwards. */
static void leave(const struct call *program)
{
    for (volatile int where = 4; where < 100; where++) {
        long long value;
        first = program->name;
        second = "siglongjmp";
        change_at = where;
        change = jump_out;
        prepare(program->call != call_start);
        at = 0;
        if (sigsetjmp(out, 1) == 0)
            step_through(program->call);
        bool busy = PAPI_start(used) == PAPI_ECNFLCT;
        int code = PAPI_stop(used, &value);
        if (busy && code == PAPI_ENOTRUN)
            WHOLE(strstr(PAPI_strerror(code), "PAPI_cleanup_eventset") != NULL, 1);
        WHOLE(PAPI_cleanup_eventset(used), PAPI_OK);
        WHOLE(PAPI_add_named_event(used, subject->event), PAPI_OK);
        began = subject->done();
        wrong_at = 0;
        check_whole();
    }
}

static void calls_that_are_left(void **state)
{
    (void)state;
    begin_with(&variable);
    for (int p = 0; p < N_PROGRAM; p++)
        leave(&calls[p]);
}

int main(int argc, char **argv)
{
    apart = step_apart(argc, argv, apart);
    const struct CMUnitTest tests[] = {
        IN_FOLDER(of_a_variable),           IN_FOLDER(of_the_kernel),
        IN_FOLDER(of_a_multiplexed_set),    IN_FOLDER(of_overflows_by_the_kernel),
        IN_FOLDER(of_overflows_by_a_timer), IN_FOLDER(calls_that_are_left),
    };
    return TEST_RUN(tests);
}

#else

int main(void)
{
    printf("SKIP: a program steps through itself on x86-64, without a sanitizer\n");
    return 77;
}

#endif
