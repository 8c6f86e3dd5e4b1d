/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/syscall.h"
#include <stdint.h>
#include <time.h>

/* libc's clock_gettime, or the kernel's that it calls. */
typedef int clock_reader(clockid_t id, struct timespec *now);
clock_reader *clock_fastest(void);

static inline long long clock_nsec_by(clock_reader *reader, clockid_t id)
{
    struct timespec now;
    reader(id, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The time of a clock in microseconds, without a division of 64 bits. */
static inline long long clock_usec_by(clock_reader *reader, clockid_t id)
{
    struct timespec now;
    reader(id, &now);
    return now.tv_sec * 1000000LL + (uint32_t)now.tv_nsec / 1000;
}

/* Real time; its clock never steps. */
static inline long long clock_real_nsec(void)
{
    return clock_nsec_by(clock_gettime, CLOCK_MONOTONIC);
}

/* CPU time of the calling thread. The kernel has to be asked in any case, so not by way of libc and
 * the vDSO, which only find that out. */
static inline long long clock_virt_nsec(void)
{
#ifdef SYS_clock_gettime64 /* a processor of 32 bits: a timespec is libc's, with a time_t of 32 or 64 */
    enum { CALL = SYS_clock_gettime64 };
#else
    enum { CALL = SYS_clock_gettime };
#endif
    struct {
        int64_t sec, nsec;
    } now;
    if (system_call(CALL, CLOCK_THREAD_CPUTIME_ID, (long)&now, 0) != 0)
        return clock_nsec_by(clock_gettime, CLOCK_THREAD_CPUTIME_ID); /* e.g. a kernel before Linux 5.1 */
    return now.sec * 1000000000LL + now.nsec;
}

/* Clock ticks: the time-stamp counter on x86, which runs at a constant rate on every processor of
 * the last fifteen years; nanoseconds elsewhere. */
static inline long long clock_ticks_by(clock_reader *reader)
{
#if defined(__x86_64__) || defined(__i386__)
    (void)reader;
    return (long long)__builtin_ia32_rdtsc(); /* without <x86intrin.h>, 47,000 lines */
#else
    return clock_nsec_by(reader, CLOCK_MONOTONIC);
#endif
}

static inline long long clock_ticks(void)
{
    return clock_ticks_by(clock_gettime);
}

/* A moment by both clocks. */
struct clock_moment {
    long long nsec, ticks;
};
struct clock_moment clock_both(void);

/* The rate of clock_ticks in kHz, measured on x86 since a moment two milliseconds ago: what is missing of
 * them is waited for. */
long long clock_tick_khz(struct clock_moment start);

/* A function of the vDSO, the code that the kernel maps into every process, or NULL. For those that libc
 * calls too: without libc's part in it, a call costs a quarter less. Async-signal-safe. */
void *vdso_function(const char *name);
