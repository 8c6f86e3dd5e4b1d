/* SPDX-License-Identifier: BSD-3-Clause */
#include "counted_loop.h"

/* Written in assembly, so that every compiler and optimisation gives the same number of instructions. */
void counted_loop(long n)
{
    long i = n, sum = 0;
#if defined(__aarch64__)
    __asm__ volatile("1: add %1, %1, #3\n\t"
                     "eor %1, %1, #1\n\t"
                     "nop\n\t"
                     "subs %0, %0, #1\n\t"
                     "b.ne 1b"
                     : "+r"(i), "+r"(sum)
                     :
                     : "cc");
#elif defined(__x86_64__)
    __asm__ volatile("1: add $3, %1\n\t"
                     "xor $1, %1\n\t"
                     "nop\n\t"
                     "sub $1, %0\n\t"
                     "jne 1b"
                     : "+r"(i), "+r"(sum)
                     :
                     : "cc");
#elif defined(__riscv)
    __asm__ volatile("1: addi %1, %1, 3\n\t"
                     "xori %1, %1, 1\n\t"
                     "nop\n\t"
                     "addi %0, %0, -1\n\t"
                     "bnez %0, 1b"
                     : "+r"(i), "+r"(sum));
#elif defined(__powerpc64__)
    __asm__ volatile("1: addi %1, %1, 3\n\t"
                     "xori %1, %1, 1\n\t"
                     "nop\n\t"
                     "addic. %0, %0, -1\n\t"
                     "bne 1b"
                     : "+b"(i), "+b"(sum)
                     :
                     : "cr0", "xer");
#else
    for (volatile long j = 0; j < i; j++)
        sum += j;
#endif
}
