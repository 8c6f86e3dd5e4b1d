/* SPDX-License-Identifier: BSD-3-Clause */
#include "child.h"
#include "tools/common/allocate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void become(const struct child *child, const sigset_t *mask, int to)
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
    int error = errno;
    if (write(to, &error, sizeof error) < 0)
        perror(child->word[0]);
    _exit(127);
}

/* The sentence about a program that was not executed; NULL: it runs. from: a pipe that executing closes. */
static char *not_executed(struct child *child, int from)
{
    int error;
    if (read(from, &error, sizeof error) != sizeof error)
        return NULL;
    child->error = error;
    const char *name = child->word[0], *advice = "";
    if (error == ENOENT)
        advice = strchr(name, '/') != NULL
                     ? ": build it, or run papi_gate in the folder from which this path leads to it"
                     : ": no folder of PATH has it; a program of this folder has ./ before its name";
    return memory_print("%s: %s%s", name, strerror(error), advice);
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
    int ends[2];
    child_stops(&stops);
    sigaddset(&stops, SIGCHLD);
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return memory_text(strerror(errno));
    sigprocmask(SIG_BLOCK, &stops, &before);
    pid_t pid = fork();
    if (pid == 0)
        become(child, child->mask != NULL ? child->mask : &before, ends[1]);
    char *why = pid > 0 ? NULL : memory_text(strerror(errno));
    close(ends[1]);
    if (pid > 0) {
        why = not_executed(child, ends[0]);
        wait_for(child, pid, &stops);
    }
    close(ends[0]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return why;
}
