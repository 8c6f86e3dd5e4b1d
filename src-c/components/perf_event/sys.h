/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_PERF_EVENT_SYS_H
#define PAPI_PERF_EVENT_SYS_H

#include "components/component.h"
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The only file that calls perf_event_open and its sisters. Each returns PAPI_OK or a PAPI_E* code
 * with a reason that names the setting in the way. */

struct perf_event_attr;

/* Opens a counter of the calling thread. leader: its group's first descriptor, or -1. */
int sys_open(const char *root, struct perf_event_attr *attr, int leader, int *fd, struct reason *why);

int sys_ioctl_failed(const char *what, struct reason *why) __attribute__((cold));

static inline int sys_enable(int leader, struct reason *why)
{
    return __builtin_expect(ioctl(leader, PERF_EVENT_IOC_ENABLE, 0) == 0, 1)
               ? 0
               : sys_ioctl_failed("starting", why);
}

static inline int sys_disable(int leader, struct reason *why)
{
    return __builtin_expect(ioctl(leader, PERF_EVENT_IOC_DISABLE, 0) == 0, 1)
               ? 0
               : sys_ioctl_failed("stopping", why);
}

/* The header of a read with GROUP, TOTAL_TIME_ENABLED and TOTAL_TIME_RUNNING; times in ns. */
enum { HEADER_COUNT, HEADER_ENABLED, HEADER_RUNNING };

/* What a read that did not give all it should means. */
int sys_read_failed(ssize_t got, struct reason *why) __attribute__((cold));

/* Reads a group of n counters. PAPI_ECNFLCT: the kernel took the group off the counters. Inline,
 * as starting and stopping are: the calls here that programs make in their loops. */
static inline int sys_read(int leader, int n, struct reading *reading, struct reason *why)
{
    ssize_t wanted = (ssize_t)(3 + n) * (ssize_t)sizeof(uint64_t);
    ssize_t got = read(leader, reading, (size_t)wanted);
    return __builtin_expect(got == wanted, 1) ? 0 : sys_read_failed(got, why);
}

/* Maps a counter's page; NULL where the kernel does not give one. */
struct perf_event_mmap_page *sys_map(int fd);
void sys_unmap(struct perf_event_mmap_page *page);

void sys_close(int fd);

#endif
