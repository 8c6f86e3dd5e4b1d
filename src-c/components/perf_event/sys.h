/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "base/syscall.h"
#include "components/component.h"
#include <linux/perf_event.h>
#include <sys/ioctl.h>

/* The only files (with sys.c) that call perf_event_open and its sisters. Each function returns
 * PAPI_OK or a PAPI_E* code with a reason that names the setting in the way. */

/* Opens a counter of the thread or CPU that the options name (NULL: of the calling thread). leader: its
 * group's first descriptor, or -1. PAPI_EINVAL: there is no such thread. */
int sys_open(const char *root, const struct group_options *options, struct perf_event_attr *attr, int leader,
             int *fd, struct reason *why);

/* Tells if the thread or CPU of the options can be counted, by a counter that counts nothing. leader: -1, or
 * a counter with these options: then PAPI_EINVAL also where the thread's number is another's by now. */
int sys_try(const char *root, const struct group_options *options, int leader, struct reason *why);

/* A read of a group with PERF_FORMAT_GROUP, TOTAL_TIME_ENABLED and TOTAL_TIME_RUNNING. */
struct group_reading {
    uint64_t n;
    uint64_t time_enabled, time_running; /* ns */
    uint64_t count[MAX_COUNTERS];
};

/* A read of one counter with TOTAL_TIME_ENABLED and TOTAL_TIME_RUNNING, without GROUP. */
struct counter_reading {
    uint64_t count;
    uint64_t time_enabled, time_running; /* ns */
};

int sys_read_failed(long got, struct reason *why) __attribute__((cold));
int sys_ioctl_failed(long result, const char *what, struct reason *why) __attribute__((cold));

/* Reads a group of n counters. PAPI_ECNFLCT: the kernel took the group off the counters. */
static inline int sys_read(int leader, int n, struct group_reading *reading, struct reason *why)
{
    long wanted = (3L + n) * (long)sizeof(uint64_t);
    long got = system_call(SYS_read, leader, (long)reading, wanted);
    if (likely(got == wanted))
        return 0;
    int code = sys_read_failed(got, why);
    if (code == 0) /* what follows a failure need not be kept in registers */
        __builtin_unreachable();
    return code;
}

static inline int sys_read_counter(int fd, struct counter_reading *reading, struct reason *why)
{
    long got = system_call(SYS_read, fd, (long)reading, sizeof *reading);
    return likely(got == sizeof *reading) ? 0 : sys_read_failed(got, why);
}

/* The count of one counter of a group, or of what was one, whatever else is read with it. */
int sys_read_alone(int fd, uint64_t *count);

static inline int sys_enable(int leader, struct reason *why)
{
    long result = system_call(SYS_ioctl, leader, PERF_EVENT_IOC_ENABLE, 0);
    return likely(result == 0) ? 0 : sys_ioctl_failed(result, "starting", why);
}

static inline int sys_disable(int leader, struct reason *why)
{
    long result = system_call(SYS_ioctl, leader, PERF_EVENT_IOC_DISABLE, 0);
    return likely(result == 0) ? 0 : sys_ioctl_failed(result, "stopping", why);
}

/* All counts of a group begin at 0 again. */
static inline int sys_reset(int leader, struct reason *why)
{
    long result = system_call(SYS_ioctl, leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
    return result == 0 ? 0 : sys_ioctl_failed(result, "resetting", why);
}

/* Maps a counter's page, with a buffer of so many pages (a power of two, or none) behind it. NULL with errno
 * where the kernel does not give it. */
struct perf_event_mmap_page *sys_map(int fd, uint32_t pages);
void sys_unmap(struct perf_event_mmap_page *page, uint32_t pages);

/* Makes the kernel send the calling thread a signal with each sample of a counter. */
int sys_send_signal(int fd, int signal, struct reason *why);

/* Samples every period counts, and starts the first period again. */
int sys_set_period(int fd, uint64_t period, struct reason *why);

void sys_close(int fd);
