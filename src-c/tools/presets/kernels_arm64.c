/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel_rows.h"

#if defined(__aarch64__)

/* before: once; the body n times. %0 counts down, %1 is the memory. */
#define KERNEL(function, before, body)                                                                       \
    static void function(long n, void *ones)                                                                 \
    {                                                                                                        \
        __asm__ volatile(".arch_extension sve\n\t" before "\n\t.p2align 5\n9:\n\t" body                      \
                         "\n\tsubs %0, %0, #1\n\tb.ne 9b"                                                    \
                         : "+r"(n)                                                                           \
                         : "r"(ones)                                                                         \
                         : "cc", "memory", "x9", "x10", "x11", "v0", "v1", "v2");                            \
    }

KERNEL(integer, "mov x9, #3\n\tmov x10, #5",
       "add x9, x9, x10\n\teor x10, x10, x9\n\tadd x9, x9, x10\n\teor x10, x10, x9")
KERNEL(branches_not_taken, "", "cmp %0, #0\n\tb.lt 2f\n\tb.lt 2f\n\tb.lt 2f\n2:")
KERNEL(branches_taken, "", "cmp %0, #0\n\tb.gt 2f\n\tnop\n2:\tb.gt 3f\n\tnop\n3:\tb.gt 4f\n\tnop\n4:")
KERNEL(jumps, "", "b 2f\n\tnop\n2:\tb 3f\n\tnop\n3:\tb 4f\n\tnop\n4:")
/* A generator of random bits (xorshift), and a branch by one of them. */
KERNEL(random_branch, "mov x9, #0x2545",
       "eor x9, x9, x9, lsl #13\n\teor x9, x9, x9, lsr #7\n\teor x9, x9, x9, lsl #17\n\t"
       "tbz x9, #20, 2f\n\tnop\n2:")
KERNEL(loads, "", "ldr x9, [%1]\n\tldr x10, [%1, #8]\n\tldr x11, [%1, #16]\n\tldr x9, [%1, #24]")
KERNEL(stores, "", "str %0, [%1, #512]\n\tstr %0, [%1, #520]\n\tstr %0, [%1, #528]")
KERNEL(loads_and_stores, "", "ldr x9, [%1]\n\tldr x10, [%1, #8]\n\tstr %0, [%1, #512]")

#define FROM_DOUBLE "ldr q0, [%1]\n\tldr q1, [%1]\n\tldr q2, [%1]"
#define FROM_SINGLE "ldr q0, [%1, #256]\n\tldr q1, [%1, #256]\n\tldr q2, [%1, #256]"
KERNEL(double_add, FROM_DOUBLE, THREE "fadd d0, d0, d1" ENDED)
KERNEL(double_multiply, FROM_DOUBLE, THREE "fmul d0, d0, d1" ENDED)
KERNEL(double_divide, FROM_DOUBLE, THREE "fdiv d0, d0, d1" ENDED)
KERNEL(double_sqrt, FROM_DOUBLE, THREE "fsqrt d0, d0" ENDED)
KERNEL(double_fma, FROM_DOUBLE, THREE "fmsub d0, d1, d2, d0" ENDED)
KERNEL(single_add, FROM_SINGLE, THREE "fadd s0, s0, s1" ENDED)
KERNEL(single_multiply, FROM_SINGLE, THREE "fmul s0, s0, s1" ENDED)
KERNEL(single_divide, FROM_SINGLE, THREE "fdiv s0, s0, s1" ENDED)
KERNEL(single_sqrt, FROM_SINGLE, THREE "fsqrt s0, s0" ENDED)
KERNEL(single_fma, FROM_SINGLE, THREE "fmsub s0, s1, s2, s0" ENDED)
KERNEL(double_add_128, FROM_DOUBLE, THREE "fadd v0.2d, v0.2d, v1.2d" ENDED)
KERNEL(double_multiply_128, FROM_DOUBLE, THREE "fmul v0.2d, v0.2d, v1.2d" ENDED)
KERNEL(double_divide_128, FROM_DOUBLE, THREE "fdiv v0.2d, v0.2d, v1.2d" ENDED)
KERNEL(double_sqrt_128, FROM_DOUBLE, THREE "fsqrt v0.2d, v0.2d" ENDED)
KERNEL(double_fma_128, FROM_DOUBLE, THREE "fmls v0.2d, v1.2d, v2.2d" ENDED)
KERNEL(single_add_128, FROM_SINGLE, THREE "fadd v0.4s, v0.4s, v1.4s" ENDED)
KERNEL(single_multiply_128, FROM_SINGLE, THREE "fmul v0.4s, v0.4s, v1.4s" ENDED)
KERNEL(single_fma_128, FROM_SINGLE, THREE "fmls v0.4s, v1.4s, v2.4s" ENDED)
/* An instruction clears the upper lanes when it loads 128 bits: those are zeroes, and are computed with, too.
 */
KERNEL(double_add_scalable, FROM_DOUBLE, THREE "fadd z0.d, z0.d, z1.d" ENDED)
KERNEL(double_multiply_scalable, FROM_DOUBLE, THREE "fmul z0.d, z0.d, z1.d" ENDED)
KERNEL(single_add_scalable, FROM_SINGLE, THREE "fadd z0.s, z0.s, z1.s" ENDED)
KERNEL(single_multiply_scalable, FROM_SINGLE, THREE "fmul z0.s, z0.s, z1.s" ENDED)

const struct kernel kernels[] = {
    SCALAR_ROWS(1),
    FLOAT(double_add_128, ALWAYS, DOUBLE, 2, 1, ADDITIONS),
    FLOAT(double_multiply_128, ALWAYS, DOUBLE, 2, 1, MULTIPLICATIONS),
    FLOAT(double_divide_128, ALWAYS, DOUBLE, 2, 1, DIVISIONS),
    FLOAT(double_sqrt_128, ALWAYS, DOUBLE, 2, 1, SQUARE_ROOTS),
    FLOAT(double_fma_128, ALWAYS, DOUBLE, 2, 2, MULTIPLY_ADDS),
    FLOAT(single_add_128, ALWAYS, SINGLE, 4, 1, ADDITIONS),
    FLOAT(single_multiply_128, ALWAYS, SINGLE, 4, 1, MULTIPLICATIONS),
    FLOAT(single_fma_128, ALWAYS, SINGLE, 4, 2, MULTIPLY_ADDS),
    FLOAT(double_add_scalable, SVE, DOUBLE, 2, 1, ADDITIONS),
    FLOAT(double_multiply_scalable, SVE, DOUBLE, 2, 1, MULTIPLICATIONS),
    FLOAT(single_add_scalable, SVE, SINGLE, 4, 1, ADDITIONS),
    FLOAT(single_multiply_scalable, SVE, SINGLE, 4, 1, MULTIPLICATIONS),
    {.name = NULL},
};

#endif
