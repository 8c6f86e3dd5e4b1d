/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The questions that papi_doctor asks the kernel itself, past the library: what it answers to a counter of
 * each kind, and how many it really runs at once.
 */
#include "doctor.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_EVENTS = 64 };

/* In user mode. A leader is pinned: it counts all the time, or not at all. Returns a descriptor, or the
 * negative errno. */
static int ask(uint32_t type, uint64_t config, int leader)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = type;
    attr.config = config;
    attr.disabled = attr.pinned = leader < 0;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

static int answer(uint32_t type, uint64_t config)
{
    int fd = ask(type, config, -1);
    if (fd >= 0)
        close(fd);
    return fd < 0 ? -fd : 0;
}

/* A group of cycles, reference cycles where the kernel has them, and instructions. Returns how many the
 * kernel took, at most n. */
static int open_group(int *fds, int n)
{
    static const uint64_t first[] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_REF_CPU_CYCLES};
    int taken = 0;
    for (int i = 0; i < 2 && taken == i && taken < n; i++)
        taken += (fds[taken] = ask(PERF_TYPE_HARDWARE, first[i], i == 0 ? -1 : fds[0])) >= 0;
    while (taken > 0 && taken < n &&
           (fds[taken] = ask(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, fds[0])) >= 0)
        taken++;
    return taken;
}

static void close_group(const int *fds, int n)
{
    for (int i = 0; i < n; i++)
        close(fds[i]);
}

/* A pinned group for which there is no room at the moment reads as an end of file. */
static bool group_runs(int leader)
{
    struct {
        uint64_t value, enabled, running;
    } count;
    if (ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) != 0)
        return false;
    for (volatile int i = 0; i < 200000; i++)
        ;
    return read(leader, &count, sizeof count) == (ssize_t)sizeof count && count.running > 0;
}

static int count_at_once(int n)
{
    int fds[MAX_EVENTS];
    for (; n > 0; n--) {
        int taken = open_group(fds, n);
        bool runs = taken == n && group_runs(fds[0]);
        close_group(fds, taken);
        if (runs)
            break;
    }
    return n;
}

/* The kernel looks at the flags first, before rights and levels: what it does not know is EINVAL, and any
 * other error is that of a filter before it. */
static int find_filter(void)
{
    errno = 0;
    long fd = syscall(SYS_perf_event_open, NULL, 0, -1, -1, ~0ul);
    return fd < 0 && errno != EINVAL ? errno : 0;
}

void trials_run(struct trials *trials, bool alike_cores)
{
    int fds[MAX_EVENTS];
    trials->filter = find_filter();
    trials->software = answer(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
    trials->hardware = answer(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    if (trials->hardware != 0)
        trials->hardware = answer(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    trials->group = open_group(fds, MAX_EVENTS);
    close_group(fds, trials->group);
    /* With cores of several types the group counts on one of them alone, perhaps not where this runs. */
    trials->at_once = alike_cores && trials->group > 0 ? count_at_once(trials->group) : -1;
}
