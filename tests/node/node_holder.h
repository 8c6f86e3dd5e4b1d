/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A process that has all counters of every CPU, before any program: it pins them, as a monitor of the whole
 * machine may.
 */
#pragma once

#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOLD_ALWAYS = -1, HOLD_IN_TURNS = -2 }; /* or the time in milliseconds */

struct holder {
    pid_t pid;
};

enum { HELD_COUNTERS = 16, HOLD_CPUS = 8, HOLD_TURN = 50 /* ms */ };

/* Pinned on a CPU. The first counters may count cycles only; what finds no counter is held in vain. */
static int hold_counter(int cpu, int i)
{
    static const unsigned long long first[] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_REF_CPU_CYCLES};
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = i < 2 ? first[i] : PERF_COUNT_HW_INSTRUCTIONS;
    attr.pinned = 1;
    return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Returns how many are open. */
static int hold_all(int *fd)
{
    int n = 0;
    for (int cpu = 0; cpu < HOLD_CPUS; cpu++)
        for (int i = 0; i < HELD_COUNTERS; i++) {
            fd[n] = hold_counter(cpu, i);
            n += fd[n] >= 0;
        }
    return n;
}

static void hold_switch(const int *fd, int n, unsigned long what)
{
    for (int i = 0; i < n; i++)
        ioctl(fd[i], what, 0);
}

static void hold_for(int how, int ready)
{
    int fd[HOLD_CPUS * HELD_COUNTERS], n = hold_all(fd);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (n < 4 || write(ready, "", 1) != 1)
        _exit(1);
    close(ready);
    if (how == HOLD_ALWAYS)
        for (;;)
            pause();
    for (unsigned turn = 0; how == HOLD_IN_TURNS; turn++) {
        usleep(HOLD_TURN * 1000);
        hold_switch(fd, n, turn % 2 == 0 ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE);
    }
    usleep((useconds_t)how * 1000);
    _exit(0);
}

/* Returns when they are held. */
__attribute__((unused)) static struct holder hold_counters(int how)
{
    int ends[2];
    char byte;
    struct holder holder = {-1};
    fflush(stdout);
    if (pipe(ends) != 0 || (holder.pid = fork()) < 0) {
        perror("no process to hold counters");
        exit(1);
    }
    if (holder.pid == 0) {
        close(ends[0]);
        hold_for(how, ends[1]);
    }
    close(ends[1]);
    if (read(ends[0], &byte, 1) != 1) {
        printf("  WRONG the counters could not be held\n");
        exit(1);
    }
    close(ends[0]);
    return holder;
}

__attribute__((unused)) static void let_counters_go(struct holder *holder)
{
    kill(holder->pid, SIGKILL);
    waitpid(holder->pid, NULL, 0);
}
