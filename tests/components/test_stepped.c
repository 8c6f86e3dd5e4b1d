/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A signal handler between any two instructions of a call: the program traps after each one. At one of them
 * the handler changes the event set, and at all others it reads it.
 */
#include "folder.h"

#include <sde_lib.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* The instructions that sanitizers add make it take many times as long. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

enum { TRAP_FLAG = 1 << 8, MORE = 1000 };

static volatile long long steps; /* the event: the program's work */
static long long began;          /* their number when the set was started first */
static int used;

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
    if (wrong_at == 0 && (code != PAPI_OK || value < 0 || value > steps - began)) {
        wrong_value = code != PAPI_OK ? code : value;
        wrong_at = at;
    }
}

static void trap(int number)
{
    (void)number;
    at++;
    if (at == change_at)
        change();
    else if (at > change_at)
        look();
    steps++;
}

__attribute__((noinline)) static void step_through(void (*call)(void))
{
    at = 0;
    __asm__ volatile("pushfq\n orq %0, (%%rsp)\n popfq" : : "i"(TRAP_FLAG) : "cc", "memory");
    call();
    __asm__ volatile("pushfq\n andq %0, (%%rsp)\n popfq" : : "i"(~TRAP_FLAG) : "cc", "memory");
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

/* Counts go on if its state is that, and only then; and all calls work. */
static void check_whole(void)
{
    int state = 0;
    long long value = value_now(), sum = 5;
    WHOLE(wrong_at > 0 ? wrong_value : 0, 0);
    WHOLE(PAPI_state(used, &state), PAPI_OK);
    steps += MORE;
    WHOLE(value_now() - value, state & PAPI_RUNNING ? MORE : 0);
    WHOLE(PAPI_accum(used, &sum), PAPI_OK);
    WHOLE(sum - 5 - value, state & PAPI_RUNNING ? MORE : 0);
    WHOLE(value_now(), 0);
    steps += MORE;
    WHOLE(value_now(), state & PAPI_RUNNING ? MORE : 0);
    WHOLE(PAPI_reset(used), PAPI_OK);
    WHOLE(value_now(), 0);
    WHOLE(state & PAPI_RUNNING ? PAPI_stop(used, &value) : PAPI_start(used), PAPI_OK);
    WHOLE(state & PAPI_RUNNING ? PAPI_start(used) : PAPI_stop(used, &value), PAPI_OK);
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
    began = steps;
    steps += 7;
    if (!runs)
        WHOLE(PAPI_stop(used, &value), PAPI_OK);
    wrong_at = 0;
}

/* Whether the change came before the call was over. */
static bool interrupt(const struct call *program, const struct call *handler, int where, bool runs)
{
    first = program->name;
    second = handler->name;
    change = handler->call;
    change_at = where;
    prepare(runs);
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

/* Every instruction where a call begins, which is where it looks at the set, and every few ones of the rest.
 */
static int after(int where)
{
    enum { BEGINS = 40, STRIDE = 7 };
    return where + (where < BEGINS ? 1 : STRIDE);
}

static void interrupt_all(void)
{
    for (int p = 0; p < N_PROGRAM; p++)
        for (int h = 0; h < N_CALLS; h++)
            for (int where = 4; interrupt(&calls[p], &calls[h], where, is_to_run(&calls[p], &calls[h]));)
                where = after(where);
}

static void begin_with(const char *event)
{
    struct sigaction action = {.sa_handler = trap};
    sigaction(SIGTRAP, &action, NULL);
    begin_here();
    papi_sde_register_counter(papi_sde_init("stepped"), "steps", PAPI_SDE_RW | PAPI_SDE_DELTA,
                              PAPI_SDE_long_long, (void *)(uintptr_t)&steps);
    used = set_of(event, NULL);
}

static void of_a_variable(void **state)
{
    (void)state;
    begin_with("sde:::stepped::steps");
    interrupt_all();
}

static sigjmp_buf out;

static void jump_out(void)
{
    siglongjmp(out, 1);
}

/* Where a handler leaves a call for good, the set can be emptied and used. */
static void leave(const struct call *program)
{
    for (volatile int where = 4; where < 100; where++) {
        long long value;
        first = program->name;
        second = "siglongjmp";
        change_at = where;
        change = jump_out;
        prepare(program->call != call_start);
        if (sigsetjmp(out, 1) == 0)
            step_through(program->call);
        bool busy = PAPI_start(used) == PAPI_ECNFLCT;
        int code = PAPI_stop(used, &value);
        if (busy && code == PAPI_ENOTRUN)
            WHOLE(strstr(PAPI_strerror(code), "PAPI_cleanup_eventset") != NULL, 1);
        WHOLE(PAPI_cleanup_eventset(used), PAPI_OK);
        WHOLE(PAPI_add_named_event(used, "sde:::stepped::steps"), PAPI_OK);
        began = steps;
        wrong_at = 0;
        check_whole();
    }
}

static void calls_that_are_left(void **state)
{
    (void)state;
    begin_with("sde:::stepped::steps");
    for (int p = 0; p < N_PROGRAM; p++)
        leave(&calls[p]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(of_a_variable),
        IN_FOLDER(calls_that_are_left),
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
