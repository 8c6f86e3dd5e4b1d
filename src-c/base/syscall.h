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
#elif defined(__riscv)
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
    return a0;
#elif defined(__powerpc64__)
    register long r0 __asm__("r0") = number;
    register long r3 __asm__("r3") = a;
    register long r4 __asm__("r4") = b;
    register long r5 __asm__("r5") = c;
    /* An error's number is positive, and the summary overflow bit says that it is one. */
    __asm__ volatile("sc\n\t"
                     "bns+ 1f\n\t"
                     "neg 3, 3\n"
                     "1:"
                     : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5)
                     :
                     : "memory", "cr0", "ctr", "xer", "r6", "r7", "r8", "r9", "r10", "r11", "r12");
    return r3;
#elif defined(__i386__)
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "0"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
#elif defined(__arm__)
    register long r0 __asm__("r0") = a;
    register long r1 __asm__("r1") = b;
    register long r2 __asm__("r2") = c;
    long kept; /* r7 may be the frame pointer, which the compiler gives to nobody */
    __asm__ volatile("mov %0, r7\n\t"
                     "mov r7, %2\n\t"
                     "svc 0\n\t"
                     "mov r7, %0"
                     : "=&r"(kept), "+r"(r0)
                     : "r"(number), "r"(r1), "r"(r2)
                     : "memory");
    return r0;
#elif defined(__s390x__)
    register long r1 __asm__("r1") = number;
    register long r2 __asm__("r2") = a;
    register long r3 __asm__("r3") = b;
    register long r4 __asm__("r4") = c;
    __asm__ volatile("svc 0" : "+d"(r2) : "d"(r1), "d"(r3), "d"(r4) : "memory");
    return r2;
#elif defined(__loongarch__)
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    __asm__ volatile("syscall 0"
                     : "+r"(a0)
                     : "r"(a7), "r"(a1), "r"(a2)
                     : "memory", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8");
    return a0;
#else
    long result = syscall(number, a, b, c);
    return result < 0 ? -errno : result;
#endif
}
