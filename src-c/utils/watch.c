/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch.h"

#include "base/visible.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { NARROWEST = 14, NSEC = 1000000000 };

static void signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGCHLD);
}

void watch_prepare(void)
{
    sigset_t set;
    signals(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) * 1e-9;
}

/* false: it is to end before. */
static bool wait_until(const struct timespec *begin, double seconds, pid_t process)
{
    sigset_t set;
    signals(&set);
    for (;;) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        double left = seconds - seconds_between(begin, &now);
        if (left <= 0)
            return true;
        struct timespec rest = {.tv_sec = (time_t)left, .tv_nsec = (long)(fmod(left, 1) * NSEC)};
        int signal = sigtimedwait(&set, NULL, &rest);
        if (process == 0 ? signal == SIGINT || signal == SIGTERM : signal == SIGCHLD)
            return false; /* a terminal's Ctrl-C is for the process, which decides */
    }
}

/* The column of an event: its component is left out. */
static const char *column_name(const char *name)
{
    const char *event = strstr(name, ":::");
    return event != NULL ? event + 3 : name;
}

static int column_width(const char *name)
{
    int length = (int)strlen(column_name(name));
    return length > NARROWEST ? length : NARROWEST;
}

static void print_head(const struct watch *watch)
{
    if (watch->json)
        return;
    fprintf(watch->out, "%10s", "seconds");
    for (int i = 0; i < watch->n; i++) {
        fprintf(watch->out, " %*s", column_width(watch->name[i]) - (int)strlen(column_name(watch->name[i])),
                "");
        visible_put(watch->out, column_name(watch->name[i]));
    }
    fputc('\n', watch->out);
    fflush(watch->out);
}

static void print_line(const struct watch *watch, double seconds, const long long *value)
{
    fprintf(watch->out, watch->json ? "{\"seconds\": %.3f" : "%10.3f", seconds);
    for (int i = 0; i < watch->n; i++)
        if (watch->json) {
            fputs(", \"", watch->out);
            visible_put(watch->out, watch->name[i]); /* events have neither quotes nor backslashes */
            fprintf(watch->out, "\": %lld", value[i]);
        } else
            fprintf(watch->out, " %*lld", column_width(watch->name[i]), value[i]);
    fputs(watch->json ? "}\n" : "\n", watch->out);
    fflush(watch->out);
}

/* Those of the time since the last line. */
static int read_values(const struct watch *watch, long long *last, long long *value)
{
    int error = count_sets_read(watch->sets);
    for (int i = 0; i < watch->n && error == PAPI_OK; i++) {
        long long now = count_sets_value(watch->sets, &watch->place[i]);
        value[i] = watch->place[i].level ? now : now - last[i];
        last[i] = now;
    }
    return error;
}

int watch_run(const struct watch *watch, pid_t process)
{
    long long last[MAX_COUNT_EVENTS] = {0}, value[MAX_COUNT_EVENTS];
    struct timespec begin, now;
    int error = PAPI_OK;
    bool goes_on = true;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    print_head(watch);
    for (long long line = 1; goes_on && error == PAPI_OK; line++) {
        goes_on = wait_until(&begin, (double)line * watch->interval, process);
        error = read_values(watch, last, value);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (error == PAPI_OK)
            print_line(watch, seconds_between(&begin, &now), value);
        goes_on = goes_on && line != watch->lines;
    }
    return error;
}
