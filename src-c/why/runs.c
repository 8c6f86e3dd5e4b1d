/* SPDX-License-Identifier: BSD-3-Clause */
#include "runs.h"
#include "tools/common/allocate.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEPT_ERROR = 3 }; /* where the program finds this process's standard error */

double run_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- what the child sets up */

static void use_one_processor(void)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

/* A file is read again from where it began; anything else can be read only once. */
static int open_input(void)
{
    struct stat found;
    off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    bool file = fstat(STDIN_FILENO, &found) == 0 && S_ISREG(found.st_mode) && at >= 0;
    int fd = open(file ? "/proc/self/fd/0" : "/dev/null", O_RDONLY);
    return fd;
}

static void set_files(const struct run *run)
{
    int file = open(run->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int log = fcntl(file, F_DUPFD_CLOEXEC, KEPT_ERROR + 1);
    if (log < 0)
        _exit(127);
    close(file);
    if (!run->quiet)
        dup2(STDERR_FILENO, KEPT_ERROR);
    if (run->quiet) {
        int input = open_input();
        dup2(input, STDIN_FILENO);
        dup2(log, STDOUT_FILENO);
    }
    dup2(log, STDERR_FILENO);
}

/* ---- signals */

void stops_hold(struct stops *stops)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    sigemptyset(&stops->set);
    stops->signal = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&stops->set, numbers[i]);
    sigprocmask(SIG_BLOCK, &stops->set, &stops->before);
}

void stops_release(const struct stops *stops)
{
    sigprocmask(SIG_SETMASK, &stops->before, NULL);
    if (stops->signal != 0)
        raise(stops->signal);
}

/* Waits so long for a signal. One that does not come from the terminal, whose processes all have it, is
 * passed on; the process of pid 0 is none. */
static void take_signal(const struct run *run, struct stops *stops, pid_t pid, const struct timespec *pause)
{
    siginfo_t info;
    int number = sigtimedwait(&stops->set, &info, pause);
    if (number <= 0)
        return;
    if (pid > 0 && (info.si_code <= 0 || number != SIGINT))
        kill(pid, number);
    if (number != SIGINT || run->quiet)
        stops->signal = number;
}

/* ---- the child */

static _Noreturn void become(const struct run *run, const struct stops *stops)
{
    sigprocmask(SIG_SETMASK, &stops->before, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    set_files(run);
    if (run->one_processor)
        use_one_processor();
    if (run->counting)
        setenv("OMP_WAIT_POLICY", "passive", 0);
    execvp(run->word[0], run->word);
    fprintf(stderr, "%s: %s\n", run->word[0], strerror(errno));
    _exit(127);
}

/* ---- its descendants */

/* Times and faults of what the process waited for. It has ended, and is still there. */
static void take_times(struct run *run, pid_t pid)
{
    char path[64], text[1024] = "";
    double ticks = (double)sysconf(_SC_CLK_TCK), user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, text, sizeof text - 1) > 0 && strrchr(text, ')') != NULL)
        sscanf(strrchr(text, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %lf %*u %*u %*u %*u %lf %lf",
               &run->faults, &user, &system);
    if (fd >= 0)
        close(fd);
    run->user = user / ticks;
    run->system = system / ticks;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == pid;
}

struct progress {
    int second; /* that was shown last */
    int columns;
};

/* Shows once a second how long it takes, where that is longer than anybody likes to wait without a word. */
static void show_progress(struct progress *progress, const struct run *run, double seconds)
{
    enum { PATIENCE = 2 };
    char limit[64] = "";
    if (run->doing == NULL || seconds < PATIENCE || (int)seconds == progress->second)
        return;
    if (run->limit > 0)
        snprintf(limit, sizeof limit, " (%.0f s at the most)", run->limit);
    progress->second = (int)seconds;
    progress->columns = fprintf(stderr, "\rpapi_why: %s: %d s%s", run->doing, progress->second, limit) - 1;
}

static void end_progress(const struct progress *progress)
{
    if (progress->columns > 0)
        fprintf(stderr, "\r%*s\r", progress->columns, "");
}

static void wait_for_end(struct run *run, struct stops *stops, pid_t pid)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    const double grace = 5;
    double begin = run_now();
    struct progress progress = {.second = 0};
    while (!has_ended(pid)) {
        double seconds = run_now() - begin;
        if (run->watch != NULL)
            watch_look(run->watch);
        if (run->limit > 0 && seconds > run->limit) {
            kill(pid, seconds > run->limit + grace ? SIGKILL : SIGTERM);
            run->out_of_time = true;
        }
        show_progress(&progress, run, seconds);
        take_signal(run, stops, pid, &pause);
    }
    end_progress(&progress);
    run->seconds = run_now() - begin;
}

const char *run_wait(struct run *run, struct stops *stops)
{
    const struct timespec none = {.tv_nsec = 0};
    fflush(NULL);
    take_signal(run, stops, 0, &none);
    if (stops->signal != 0)
        return "a signal came";
    off_t input = lseek(STDIN_FILENO, 0, SEEK_CUR);
    signal(SIGCHLD, SIG_DFL);
    if (!run->quiet || isatty(STDERR_FILENO) == 0)
        run->doing = NULL;
    pid_t pid = fork();
    if (pid == 0)
        become(run, stops);
    if (pid < 0)
        return strerror(errno);
    if (run->watch != NULL)
        run->watch->profiler = pid;
    wait_for_end(run, stops, pid);
    take_times(run, pid);
    struct rusage used;
    while (wait4(pid, &run->status, 0, &used) < 0 && errno == EINTR)
        ;
    if (run->itself) {
        run->user = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
        run->system = (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
        run->faults = (double)used.ru_minflt;
    }
    if (input >= 0 && !run->quiet)
        lseek(STDIN_FILENO, input, SEEK_SET);
    return NULL;
}

/* ---- words */

static size_t count(const char *const *word)
{
    size_t n = 0;
    while (word != NULL && word[n] != NULL)
        n++;
    return n;
}

char **words_join(const char *const *first, const char *const *second, char *const *third)
{
    size_t a = count(first), b = count(second), c = count((const char *const *)third);
    char **all = memory_more(NULL, a + b + c + 1, sizeof *all);
    memcpy(all, first, a * sizeof *all);
    if (b > 0)
        memcpy(all + a, second, b * sizeof *all);
    if (c > 0)
        memcpy(all + a + b, third, c * sizeof *all);
    all[a + b + c] = NULL;
    return all;
}
