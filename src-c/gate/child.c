/* SPDX-License-Identifier: BSD-3-Clause */
#include "child.h"
#include "tools/common/allocate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void become(const struct child *child, const sigset_t *mask)
{
    sigprocmask(SIG_SETMASK, mask, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    for (int i = 0; i < 3; i++)
        if (child->file[i] > 0)
            dup2(child->file[i], i);
    if (child->prepare != NULL)
        child->prepare(child->given);
    execvp(child->word[0], child->word);
    fprintf(stderr, "papi_gate: %s: %s\n", child->word[0], strerror(errno));
    _exit(127);
}

/* Waits for the end of the process, and passes signals on that came to this one alone. */
static void wait_for(struct child *child, pid_t pid, const sigset_t *stops)
{
    siginfo_t info;
    int number;
    struct rusage usage = {.ru_nvcsw = 0};
    while (wait4(pid, &child->status, WNOHANG, &usage) == 0) {
        number = sigwaitinfo(stops, &info);
        if (number <= 0 || number == SIGCHLD)
            continue;
        child->signal = number;
        if (info.si_code <= 0 || (number != SIGINT && number != SIGQUIT)) /* which a terminal sends to all */
            kill(pid, number);
    }
    child->seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void child_stops(sigset_t *stops)
{
    static const int number[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigemptyset(stops);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        sigaddset(stops, number[i]);
}

char *child_run(struct child *child)
{
    sigset_t stops, before;
    child_stops(&stops);
    sigaddset(&stops, SIGCHLD);
    fflush(NULL);
    sigprocmask(SIG_BLOCK, &stops, &before);
    pid_t pid = fork();
    if (pid == 0)
        become(child, child->mask != NULL ? child->mask : &before);
    if (pid > 0)
        wait_for(child, pid, &stops);
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid > 0 ? NULL : memory_text(strerror(error));
}
