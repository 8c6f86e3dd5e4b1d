/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A system call without libc's part in it: programs make these calls in their loops, and a count
 * should not hold what libc does around them. It is not a cancellation point either. The result is the
 * kernel's: a negative errno on failure. */
static inline long system_call(long number, long a, long b, long c)
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
