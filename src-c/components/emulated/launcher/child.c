/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/emulated/launcher/launcher.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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

/* The terminal's signals that came with the program's end shall not end the report. */
static void give_signals_back(const struct signals *signals)
{
    const struct timespec now = {0};
    while (sigtimedwait(&signals->taken, NULL, &now) > 0)
        ;
    signal(SIGPIPE, SIG_IGN); /* a reader of the report that went away */
    signal(SIGXFSZ, SIG_IGN); /* a limit of the size of files, for the report */
    sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

/* ------------------------------------------------------------------ the child */

static _Noreturn void become(const struct command *command, const struct signals *signals, pid_t parent)
{
    /* Who kills papi_emulate means the program. All signals but one are passed on: this is for it. */
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

/* ----------------------------------------------------------------- the parent */

/* What the kernel sends to this process it sends to the program too: signals of the terminal go to
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

/* true: it has ended. */
static bool look_at(struct child *child)
{
    while (waitpid(child->pid, &child->status, WNOHANG | WUNTRACED) > 0) {
        if (!WIFSTOPPED(child->status))
            return true;
        stop_too(WSTOPSIG(child->status));
    }
    return false;
}

static void watch(struct child *child, const struct signals *signals)
{
    siginfo_t info;
    while (!look_at(child))
        if (sigwaitinfo(&signals->taken, &info) > 0 && info.si_signo != SIGCHLD)
            pass_on(child->pid, &info);
}

int child_run(struct child *child, const struct command *command)
{
    struct signals signals;
    pid_t self = getpid();
    take_signals(&signals);
    child->pid = fork();
    if (child->pid == 0)
        become(command, &signals, self);
    int error = errno;
    if (child->pid > 0)
        watch(child, &signals);
    give_signals_back(&signals);
    if (child->pid < 0)
        complain("no process for the program: %s", strerror(error));
    return child->pid < 0 ? EXIT_OWN_ERROR : 0;
}
