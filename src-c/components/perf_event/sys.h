/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_PERF_EVENT_SYS_H
#define PAPI_PERF_EVENT_SYS_H

#include "components/component.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The only files (with sys.c) that call perf_event_open and its sisters. Each function returns
 * PAPI_OK or a PAPI_E* code with a reason that names the setting in the way. */

/* Opens a counter of the calling thread. leader: its group's first descriptor, or -1. */
int sys_open(const char *root, struct perf_event_attr *attr, int leader, int *fd, struct reason *why);

/* A read of a group with PERF_FORMAT_GROUP, TOTAL_TIME_ENABLED and TOTAL_TIME_RUNNING. */
struct group_reading {
    uint64_t n;
    uint64_t time_enabled, time_running; /* ns */
    uint64_t count[MAX_COUNTERS];
};

int sys_read_failed(long got, struct reason *why) __attribute__((cold));
int sys_ioctl_failed(long result, const char *what, struct reason *why) __attribute__((cold));

/* A system call without libc's part in it: programs make these calls in their loops, and a count
 * should not hold what libc does around them. It is no cancellation point either. The result is the
 * kernel's: a negative errno on failure. */
static inline long sys_call3(long number, long a, long b, long c)
{
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
#else
    long result = syscall(number, a, b, c);
    return result < 0 ? -errno : result;
#endif
}

/* Reads a group of n counters. PAPI_ECNFLCT: the kernel took the group off the counters. */
static inline int sys_read(int leader, int n, struct group_reading *reading, struct reason *why)
{
    long wanted = (3L + n) * (long)sizeof(uint64_t);
    long got = sys_call3(SYS_read, leader, (long)reading, wanted);
    return __builtin_expect(got == wanted, 1) ? 0 : sys_read_failed(got, why);
}

static inline int sys_enable(int leader, struct reason *why)
{
    long result = sys_call3(SYS_ioctl, leader, PERF_EVENT_IOC_ENABLE, 0);
    return __builtin_expect(result == 0, 1) ? 0 : sys_ioctl_failed(result, "starting", why);
}

static inline int sys_disable(int leader, struct reason *why)
{
    long result = sys_call3(SYS_ioctl, leader, PERF_EVENT_IOC_DISABLE, 0);
    return __builtin_expect(result == 0, 1) ? 0 : sys_ioctl_failed(result, "stopping", why);
}

/* Maps a counter's page; NULL where the kernel does not give one. */
struct perf_event_mmap_page *sys_map(int fd);
void sys_unmap(struct perf_event_mmap_page *page);

void sys_close(int fd);

#endif
