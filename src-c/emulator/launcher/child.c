/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/seconds.h"
#include "emulator/launcher/launcher.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Signals are blocked here and taken one by one, so that no disposition changes that the program
 * inherits. */
struct signals {
    sigset_t taken, before;
    struct sigaction child_before; /* ignored, it would take away the exit status */
};

static void take_signals(struct signals *signals)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}; /* errors in here */
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigfillset(&signals->taken);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&signals->taken, own[i]);
    sigprocmask(SIG_BLOCK, &signals->taken, &signals->before);
    sigaction(SIGCHLD, &plain, &signals->child_before);
}

/* Gives signals back, without those of the terminal that came with the program's end: they shall not end the
 * report. */
static void give_signals_back(const struct signals *signals)
{
    const struct timespec now = {0};
    while (sigtimedwait(&signals->taken, NULL, &now) > 0)
        ;
    signal(SIGPIPE, SIG_IGN); /* a reader of the report that went away */
    signal(SIGXFSZ, SIG_IGN); /* a limit of the size of files, for the report */
    sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

/* ---- the child */

static _Noreturn void become(const struct command *command, const struct signals *signals, pid_t parent)
{
    /* Ends the program with papi_emulate, even where that is killed: of all signals, SIGKILL alone is not
     * passed on. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        raise(SIGKILL);
    sigaction(SIGCHLD, &signals->child_before, NULL);
    sigprocmask(SIG_SETMASK, &signals->before, NULL);
    execve(command->argv[0], command->argv, command->environment);
    int error = errno;
    complain("%s: %s", command->argv[0], strerror(error));
    _exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
}

/* ---- the parent */

/* Passes a signal on to the program. Those that the kernel sends are left out: signals of the terminal go to
 * both of them. */
static void pass_on(pid_t pid, const siginfo_t *info)
{
    if (info->si_code > 0)
        return;
    if (info->si_code == SI_QUEUE)
        sigqueue(pid, info->si_signo, info->si_value);
    else
        kill(pid, info->si_signo);
}

/* The program has stopped for the terminal's sake, so that the shell shall get the terminal. Whoever
 * stops it with SIGSTOP may mean it alone, and would not know how to wake this process. */
static void stop_too(int number)
{
    sigset_t one;
    if (number != SIGTSTP && number != SIGTTIN && number != SIGTTOU)
        return;
    sigemptyset(&one);
    sigaddset(&one, number);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL); /* here it stops */
    sigprocmask(SIG_BLOCK, &one, NULL);
}

/* Looks at the child; true: it has ended. */
static bool look_at(struct child *child)
{
    while (waitpid(child->pid, &child->status, WNOHANG | WUNTRACED) > 0) {
        if (!WIFSTOPPED(child->status))
            return true;
        stop_too(WSTOPSIG(child->status));
    }
    return false;
}

/* ---- an emulator that hears nothing
 *
 * Signals wait until the program's next instruction. An emulator that is busy with one system call for
 * minutes would go on when whoever started it has given it up. */

enum { PATIENCE_NSEC = 1000000000 }; /* of processor time without an instruction */

struct patience {
    const struct memory *memory; /* NULL: it is no emulator */
    const char *emulator;
    int signal;              /* that should end the program; 0: none came */
    uint64_t executed, used; /* at that time: instructions and nanoseconds */
};

static bool should_end(int number)
{
    return number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT;
}

static uint64_t time_used(pid_t pid)
{
    clockid_t clock;
    return clock_getcpuclockid(pid, &clock) == 0 ? nsec_of(clock) : 0;
}

static uint64_t executed(const struct memory *memory)
{
    struct run_counts counts;
    memory_read(memory, &counts);
    free(counts.program);
    return counts.sum[EMULATED_INSTRUCTIONS];
}

static void begin(struct patience *patience, const struct child *child, int number)
{
    if (patience->memory == NULL || patience->signal != 0 || !should_end(number))
        return;
    patience->signal = number;
    patience->executed = executed(patience->memory);
    patience->used = time_used(child->pid);
}

/* True if the process still is the emulator: it becomes another program where its own executes what cannot be
 * emulated. */
static bool is_emulator(pid_t pid, const char *emulator)
{
    struct stat now, at_first;
    char *path = memory_print("/proc/%ld/exe", (long)pid);
    bool same = stat(path, &now) == 0 && stat(emulator, &at_first) == 0 && now.st_dev == at_first.st_dev &&
                now.st_ino == at_first.st_ino;
    free(path);
    return same;
}

static void look(struct patience *patience, const struct child *child, bool *killed)
{
    if (executed(patience->memory) != patience->executed) {
        patience->signal = 0; /* the program goes on: it has got the signal */
    } else if (!*killed && time_used(child->pid) - patience->used >= PATIENCE_NSEC &&
               is_emulator(child->pid, patience->emulator)) {
        complain("the emulator is busy and does not take signal %d: it is killed", patience->signal);
        *killed = kill(child->pid, SIGKILL) == 0;
    }
}

static int next_signal(const struct signals *signals, const struct patience *patience, siginfo_t *info)
{
    const struct timespec moment = {0, 200000000};
    return sigtimedwait(&signals->taken, info, patience->signal != 0 ? &moment : NULL);
}

static void watch(struct child *child, const struct signals *signals, struct patience patience)
{
    bool killed = false;
    siginfo_t info;
    while (!look_at(child)) {
        int number = next_signal(signals, &patience, &info);
        if (number > 0 && number != SIGCHLD) {
            begin(&patience, child, number);
            pass_on(child->pid, &info);
        }
        if (patience.signal != 0)
            look(&patience, child, &killed);
    }
    if (killed)
        child->status = patience.signal; /* as waitpid has it: ended by what was asked for */
}

int child_run(struct child *child, const struct command *command, const struct memory *memory)
{
    struct signals signals;
    pid_t self = getpid();
    take_signals(&signals);
    child->pid = fork();
    if (child->pid == 0)
        become(command, &signals, self);
    int error = errno;
    if (child->pid > 0)
        watch(child, &signals, (struct patience){.memory = memory, .emulator = command->argv[0]});
    give_signals_back(&signals);
    if (child->pid < 0)
        complain("no process for the program: %s", strerror(error));
    return child->pid < 0 ? EXIT_OWN_ERROR : 0;
}
