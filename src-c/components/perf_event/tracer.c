/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The process that follows threads by ptrace.
 *
 * It shares the memory, and the thread pointer, of the thread that has made it. So it makes system calls and
 * nothing else; and never at the same time: of the two one works and the other waits for its turn, by a
 * futex, but for the calls of ptrace and wait4, in which the tracer touches nothing that is shared.
 *
 * What it is told by wait4 is a new thread, held before its first instruction (PTRACE_EVENT_STOP), the end of
 * one, an exec, or something that is passed on at once: a signal on its way to a thread, or that a thread
 * has just started another one. A thread in a process that is stopped (SIGSTOP) shows PTRACE_EVENT_STOP,
 * too: who asks knows which threads are new.
 */
#include "components/perf_event/tracer.h"
#include "base/sysroot.h"
#include "components/perf_event/tasks.h"
#include "papi.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/ptrace.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STACK_SIZE = 64 * 1024 };

/* A sanitizer takes clone for a fork: it ends the threads of its own in the memory that is shared, and
 * reports what it no longer knows of this process. It leaves the same function's other name alone. */
#if defined(__GLIBC__)
int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);
#define clone __clone
#endif

/* Keeps a sanitizer from putting into the tracer's functions what is for a thread of its own. */
#define IN_TRACER __attribute__((no_sanitize("address", "thread", "undefined")))

enum turn { OF_LIBRARY, OF_TRACER };

struct tracer {
    int pid;
    void *stack;
    _Atomic uint32_t turn; /* whose it is */
    bool waits;            /* the tracer is waiting for an event, for which it has been asked */
    int seize;             /* a thread to follow; 0: to wait for an event */
    int error;             /* of that */
    struct tracer_event event;
    int held;     /* the thread to let go before the next event; 0: none */
    bool in_stop; /* it is of a stopped process, and stays so */
};

/* ---- turns */

IN_TRACER static void give_turn(struct tracer *tracer, enum turn to)
{
    atomic_store(&tracer->turn, (uint32_t)to);
    syscall(SYS_futex, &tracer->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Waits for a turn; timeout NULL: without an end. False: it has not come. */
IN_TRACER static bool await_turn(struct tracer *tracer, enum turn of, const struct timespec *timeout)
{
    while (atomic_load(&tracer->turn) != (uint32_t)of) {
        uint32_t other = of == OF_TRACER ? OF_LIBRARY : OF_TRACER;
        syscall(SYS_futex, &tracer->turn, FUTEX_WAIT_PRIVATE, other, timeout, NULL, 0);
        if (timeout != NULL)
            return atomic_load(&tracer->turn) == (uint32_t)of;
    }
    return true;
}

/* ---- in the tracer */

IN_TRACER static int trace(int request, int tid, long data)
{
    return syscall(SYS_ptrace, request, tid, 0L, data) < 0 ? errno : 0;
}

IN_TRACER static bool stops_processes(int signal)
{
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

IN_TRACER static struct tracer_event event_of_stop(struct tracer *tracer, int tid, int status)
{
    struct tracer_event event = {.tid = tid};
    unsigned long former = 0;
    int what = status >> 16, signal = WSTOPSIG(status);
    if (what == PTRACE_EVENT_STOP) {
        event.kind = TRACER_BORN;
        tracer->in_stop = stops_processes(signal);
    } else if (what == PTRACE_EVENT_EXEC) {
        trace(PTRACE_GETEVENTMSG, tid, (long)(uintptr_t)&former);
        event.kind = TRACER_BECAME;
        event.former = (int)former;
    } else {
        trace(PTRACE_CONT, tid, what != 0 ? 0 : signal);
        return event;
    }
    tracer->held = tid;
    return event;
}

IN_TRACER static struct tracer_event wait_for_event(struct tracer *tracer)
{
    struct tracer_event event = {0};
    if (tracer->held != 0)
        trace(tracer->in_stop ? PTRACE_LISTEN : PTRACE_CONT, tracer->held, 0);
    tracer->held = 0;
    tracer->in_stop = false;
    while (event.kind == TRACER_NOTHING) {
        int status = 0;
        long tid = syscall(SYS_wait4, -1, &status, __WALL, NULL);
        if (tid < 0 && errno == EINTR)
            continue;
        if (tid < 0)
            event.kind = TRACER_OVER;
        else if (WIFSTOPPED(status))
            event = event_of_stop(tracer, (int)tid, status);
        else
            event = (struct tracer_event){TRACER_ENDED, (int)tid, 0};
    }
    return event;
}

IN_TRACER static int follow(void *argument)
{
    enum {
        FOLLOWED = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC,
    };
    struct tracer *tracer = argument;
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    for (;;) {
        await_turn(tracer, OF_TRACER, NULL);
        if (tracer->seize != 0)
            tracer->error = trace(PTRACE_SEIZE, tracer->seize, FOLLOWED);
        else
            tracer->event = wait_for_event(tracer);
        give_turn(tracer, OF_LIBRARY);
    }
    return 0;
}

/* ---- in the library */

static void free_tracer(struct tracer *tracer)
{
    if (tracer->stack != MAP_FAILED)
        munmap(tracer->stack, STACK_SIZE);
    free(tracer);
}

struct tracer *tracer_make(struct reason *why)
{
    struct tracer *tracer = calloc(1, sizeof *tracer);
    if (tracer == NULL) {
        reason_set(why, PAPI_ENOMEM, "out of memory");
        return NULL;
    }
    tracer->stack =
        mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    tracer->pid = -1;
    if (tracer->stack != MAP_FAILED)
        tracer->pid =
            clone(follow, (char *)tracer->stack + STACK_SIZE, CLONE_VM | CLONE_FILES | CLONE_FS, tracer);
    if (tracer->pid > 0)
        return tracer;
    reason_set(why, errno == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS, "no process that follows threads: %s",
               strerror(errno));
    free_tracer(tracer);
    return NULL;
}

int tracer_number(const struct tracer *tracer)
{
    return tracer->pid;
}

bool tracer_lives(const struct tracer *tracer)
{
    siginfo_t info = {.si_pid = 0};
    return syscall(SYS_waitid, P_PID, tracer->pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL, NULL) == 0 &&
           info.si_pid == 0;
}

static const struct timespec now_and_then = {.tv_nsec = 20000000};

static int refused(int tid, int error, struct reason *why)
{
    long long scope = 0;
    sysroot_number("", "/proc/sys/kernel/yama/ptrace_scope", &scope);
    int tracer = task_tracer(tid);
    if (error != EPERM)
        return reason_set(why, PAPI_ESYS, "thread %d cannot be followed: %s", tid, strerror(error));
    if (tracer != 0)
        return reason_set(why, PAPI_EPERM,
                          "thread %d is followed already, by process %d: a debugger, or an event set that "
                          "was attached with other flags or to another process; only one can follow a thread",
                          tid, tracer);
    return reason_set(why, PAPI_EPERM,
                      scope > 0 ? "thread %d may not be followed: kernel.yama.ptrace_scope is %lld, and that "
                                  "needs 0 (as root, sysctl kernel.yama.ptrace_scope=0) or CAP_SYS_PTRACE"
                                : "thread %d may not be followed: it is another user's, or a debugger "
                                  "follows it already",
                      tid, scope);
}

int tracer_seize(struct tracer *tracer, int tid, struct reason *why)
{
    tracer->seize = tid;
    give_turn(tracer, OF_TRACER);
    while (!await_turn(tracer, OF_LIBRARY, &now_and_then))
        if (!tracer_lives(tracer))
            return reason_set(why, PAPI_ESYS, "the process that follows threads was ended");
    tracer->seize = 0;
    if (tracer->error == 0)
        return PAPI_OK;
    if (tracer->error == ESRCH)
        return reason_set(why, PAPI_EINVAL, "there is no thread %d", tid);
    return refused(tid, tracer->error, why);
}

struct tracer_event tracer_next(struct tracer *tracer, int milliseconds)
{
    const struct timespec timeout = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    if (!tracer->waits)
        give_turn(tracer, OF_TRACER);
    tracer->waits = true;
    if (await_turn(tracer, OF_LIBRARY, &timeout)) {
        tracer->waits = false;
        return tracer->event;
    }
    return (struct tracer_event){.kind = tracer_lives(tracer) ? TRACER_NOTHING : TRACER_OVER};
}

void tracer_end(struct tracer *tracer)
{
    kill(tracer->pid, SIGKILL);
    while (syscall(SYS_wait4, tracer->pid, NULL, __WALL, NULL) < 0 && errno == EINTR)
        ;
    free_tracer(tracer);
}
