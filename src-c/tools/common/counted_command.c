/* SPDX-License-Identifier: BSD-3-Clause */
#include "counted_command.h"

#include "base/seconds.h"
#include "base/visible.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the process */

/* The reason why a word is not a command. A script that is there may name an interpreter that is not. */
static const char *why_not_run(const char *word, int error)
{
    bool there = error == ENOENT && strchr(word, '/') != NULL && access(word, F_OK) == 0;
    return there ? "the interpreter that its first line names, or its dynamic loader, is not there"
                 : strerror(error);
}

/* Waits, in the child, until the counters run, then becomes the command. Does not return.
 *   failed  what is written here says that it cannot */
static void become(char **word, int ready, int failed, const char *tool)
{
    char go;
    signal(SIGPIPE, SIG_DFL); /* tool_read ignores them */
    signal(SIGXFSZ, SIG_DFL);
    unsetenv("HWLOC_PLUGINS_PATH");
    if (read(ready, &go, 1) != 1)
        _exit(COMMAND_NOT_RUN); /* counting failed, which was reported */
    close(ready);
    execvp(word[0], word);
    const char *why = why_not_run(word[0], errno);
    FILE *out = terminal_open(stderr);
    visible_print(out, "%s: %s: %s", tool, word[0], why);
    fputc('\n', out);
    terminal_close(out, stderr);
    while (write(failed, "", 1) < 0 && errno == EINTR)
        ;
    _exit(COMMAND_NOT_RUN);
}

int command_make(struct command *command, struct tool *tool)
{
    int ends[2], failed[2];
    fflush(stdout);
    signal(SIGCHLD, SIG_DFL); /* inherited as ignored, it would leave no status to wait for */
    if (pipe(ends) != 0 || pipe2(failed, O_CLOEXEC) != 0)
        return tool_error(tool, "no pipe: %s", strerror(errno));
    command->pid = fork();
    if (command->pid < 0)
        return tool_error(tool, "no process: %s", strerror(errno));
    if (command->pid == 0) {
        close(ends[1]);
        become(command->word, ends[0], failed[1], tool->name);
    }
    close(ends[0]);
    close(failed[1]);
    command->go = ends[1];
    command->failed = failed[0];
    return TOOL_FINE;
}

int command_go(struct command *command, struct tool *tool)
{
    char byte;
    ssize_t n;
    if (write(command->go, "", 1) != 1)
        return tool_error(tool, "the command does not start: %s", strerror(errno));
    while ((n = read(command->failed, &byte, 1)) < 0 && errno == EINTR)
        ;
    command->not_run = n == 1;
    return TOOL_FINE;
}

/* ---- the signals */

static sigset_t held_signals(const struct command *command)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGCHLD);
    if (command->word != NULL)
        sigaddset(&set, SIGQUIT);
    return set;
}

void command_hold_signals(struct command *command)
{
    sigset_t set = held_signals(command);
    command->holds = sigprocmask(SIG_BLOCK, &set, &command->mask) == 0;
}

/* Discards the signals that came too late to be passed on, and unblocks them: they must not end the tool
 * before it has printed its counts. */
static void let_signals_go(struct command *command)
{
    sigset_t set = held_signals(command);
    struct timespec none = {0, 0};
    if (!command->holds)
        return;
    while (sigtimedwait(&set, NULL, &none) > 0)
        ;
    sigprocmask(SIG_SETMASK, &command->mask, NULL);
    command->holds = false;
}

/* A terminal's Ctrl-C has reached the command, too, and what the command sends is not for itself. */
static void pass_on(const struct command *command, const siginfo_t *info)
{
    bool from_process = info->si_code <= 0;
    if (from_process && info->si_signo != SIGCHLD && info->si_pid != command->pid)
        kill(command->pid, info->si_signo);
}

/* ---- the waits */

/* True if the command has ended; not if it was stopped, or another process ended. */
static bool has_ended(const struct command *command)
{
    siginfo_t info = {.si_pid = 0};
    return command->pid > 0 &&
           (waitid(P_PID, (id_t)command->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0);
}

/* Waits for such a signal or for input, for so many milliseconds. True if there is input. */
static bool await_input(const sigset_t *set, int fd, int milliseconds)
{
    struct pollfd on[] = {{fd, POLLIN, 0}, {signalfd(-1, set, SFD_CLOEXEC), POLLIN, 0}};
    bool input = poll(on, 2, milliseconds) > 0 && on[0].revents != 0;
    if (on[1].fd >= 0)
        close(on[1].fd);
    return input;
}

/* Waits for a signal that is held, for so many seconds, at most an hour. Returns its number; 0: none came.
 *   fd     its input ends the wait, too; -1: none
 *   input  whether it did */
static int next_signal(const struct command *command, double seconds, siginfo_t *info, int fd, bool *input)
{
    enum { LONGEST = 3600 };
    sigset_t set = held_signals(command);
    double whole, part = modf(fmin(seconds, LONGEST), &whole);
    struct timespec rest = {.tv_sec = (time_t)whole, .tv_nsec = (long)(part * 1e9)};
    *input = fd >= 0 && await_input(&set, fd, (int)ceil(fmin(seconds, LONGEST) * 1000));
    if (fd >= 0)
        rest = (struct timespec){0, 0};
    int number = sigtimedwait(&set, info, &rest);
    return number > 0 ? number : 0;
}

bool command_wait(const struct command *command, double seconds)
{
    return command_wait_input(command, seconds, -1);
}

bool command_wait_input(const struct command *command, double seconds, int fd)
{
    double end = seconds_now() + seconds;
    while (!has_ended(command)) {
        siginfo_t info;
        bool input;
        double left = end - seconds_now();
        if (left <= 0)
            return true;
        int number = next_signal(command, left, &info, fd, &input);
        if (number != 0 && command->pid > 0)
            pass_on(command, &info);
        else if (number == SIGINT || number == SIGTERM)
            return false;
        if (input)
            return true;
    }
    return false;
}

void command_end(struct command *command)
{
    if (command->pid > 0) {
        close(command->go);
        close(command->failed);
        while (waitpid(command->pid, &command->status, 0) < 0 && errno == EINTR)
            ;
    }
    command->pid = 0;
    let_signals_go(command);
}
