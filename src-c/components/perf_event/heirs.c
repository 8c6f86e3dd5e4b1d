/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds out whether what has inherited the counters of a group still lives. The kernel gives a thread or a
 * process a copy of the counters that there are when it begins, and no later one; and copies end with the
 * counters that they are of. So a group that takes another's place, or one more counter, does not count it:
 * a pool of threads that a program has for good, say.
 *
 * The kernel keeps no list of heirs, but newer ones fail a reading of a group in which an heir's counters are
 * not the same (separate_events.c): beside a counter that counts nothing and was opened just now, every
 * heir's are. A counter cannot be opened where the kernel has exchanged those of the two, which may also have
 * been before the heir's end; there, and with older kernels, whatever thread or child the
 * process has that began after the counters may be one.
 */
#include "base/syscall.h"
#include "base/sysroot.h"
#include "base/task_stat.h"
#include "components/perf_event/perf_group.h"
#include "components/perf_event/tasks.h"
#include "papi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum heirs { NONE, SOME, PERHAPS };

/* Waits, as one that is about to end may have its counters still, and one that begins may be in the way. */
enum { TRIES = 10, TRIES_ALONE = 200 }; /* a millisecond each; of a process that seems to be alone */

static enum heirs ask_kernel(const struct kernel_group *group, const char *root)
{
    const struct event_encoding nothing = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
    struct {
        struct group_reading all;
        uint64_t more[2]; /* the reader's, and this one's */
    } reading;
    struct perf_event_attr attr;
    int fd;
    describe_event(&nothing, group->base.options.domain, &attr);
    attr.inherit = attr.disabled = 1;
    if (!separate_kernel_compares() ||
        sys_open(root, &group->base.options, &attr, group->fd[0], &fd, NULL) != PAPI_OK)
        return PERHAPS;
    long got = system_call(SYS_read, fd, (long)&reading, sizeof reading);
    sys_close(fd);
    return got > 0 ? NONE : got == -ECHILD ? SOME : PERHAPS;
}

/* By the clock of the kernel's files on threads, which is a coarse one; threads of one tick are told apart by
 * their numbers, of which the file has the last. */
void group_note_opened(struct kernel_group *group)
{
    unsigned long long ticks = (unsigned long long)sysconf(_SC_CLK_TCK);
    struct timespec now;
    char text[128];
    clock_gettime(CLOCK_BOOTTIME, &now);
    group->opened =
        (unsigned long long)now.tv_sec * ticks + (unsigned long long)now.tv_nsec * ticks / 1000000000;
    const char *last = sysroot_line("", "/proc/loadavg", text, sizeof text) >= 0 ? strrchr(text, ' ') : NULL;
    group->newest = last != NULL ? atoi(last) : 0;
}

static bool may_be_heir(const struct kernel_group *group, int task)
{
    struct task_stat stat;
    if (task_stat_of(task, &stat) != 0 || task_state_is_end(stat.state) || stat.exits)
        return false;
    return stat.begin > group->opened || (stat.begin == group->opened && task > group->newest);
}

/* Finds a task, but for one, that may be an heir; 0: there is none. */
static int first_of(const struct kernel_group *group, const struct tasks *tasks, int but)
{
    for (int i = 0; i < tasks->n; i++)
        if (tasks->number[i] != but && may_be_heir(group, tasks->number[i]))
            return tasks->number[i];
    return 0;
}

/* A thread of the target's process, or a process that was started by it, that may be an heir; 0: none. */
static int find_heir(const struct kernel_group *group)
{
    int target = group->base.options.target;
    int own = target != 0 ? target : (int)system_call(SYS_gettid, 0, 0, 0);
    struct process process;
    struct tasks threads = {0}, others = {0};
    int pid = target != 0 ? task_process(target) : getpid();
    if (pid <= 0 || process_find(pid, &process, NULL) != PAPI_OK)
        return 0;
    process_threads(&process, &threads, NULL);
    process_descendants(&process, &others, NULL, NULL);
    int heir = first_of(group, &threads, own);
    heir = heir != 0 ? heir : first_of(group, &others, own);
    tasks_free(&threads);
    tasks_free(&others);
    process_forget(&process);
    return heir;
}

static int refuse(int heir, struct reason *why)
{
    char which[32] = "a thread or process";
    if (heir != 0)
        snprintf(which, sizeof which, "thread or process %d", heir);
    return reason_set(why, PAPI_ECNFLCT,
                      "%s, which has inherited the event set's counters (PAPI_INHERIT), still runs, and the "
                      "kernel would not count it after this change: change the set before that begins or "
                      "after its end; PAPI_cleanup_eventset begins anew, with what is started from then on; "
                      "PAPI_attach_process counts threads that there are",
                      which);
}

int group_heirs(const struct counter_group *base, const char *root, struct reason *why)
{
    static const struct timespec pause = {.tv_nsec = 1000000};
    const struct kernel_group *group = (const struct kernel_group *)base;
    if (!base->options.inherit || base->n_counters == 0)
        return PAPI_OK;
    enum heirs heirs = ask_kernel(group, root);
    int heir = 0;
    for (int tries = 0; heirs != NONE; tries++) {
        heir = find_heir(group);
        if (tries == (heir != 0 ? TRIES : TRIES_ALONE) || (heir == 0 && heirs == PERHAPS))
            break;
        nanosleep(&pause, NULL);
        heirs = ask_kernel(group, root);
    }
    return heirs == NONE || (heirs == PERHAPS && heir == 0) ? PAPI_OK : refuse(heir, why);
}
