/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel_rows.h"

#if defined(__powerpc64__)

/* The count register counts down and branches in one instruction. %0 is n, %1 the memory. */
#define KERNEL(function, before, body)                                                                       \
    static void function(long n, void *ones)                                                                 \
    {                                                                                                        \
        __asm__ volatile(".machine push\n\t.machine power8\n\tmtctr %0\n\t" before "\n9:\n\t" body           \
                         "\n\tbdnz 9b\n\t.machine pop"                                                       \
                         : "+r"(n)                                                                           \
                         : "b"(ones)                                                                         \
                         : "memory", "ctr", "cr0", "r8", "r9", "r10", "fr0", "fr1", "fr2");                  \
    }

KERNEL(integer, "li 8, 3\n\tli 9, 5", "add 8, 8, 9\n\txor 9, 9, 8\n\tadd 8, 8, 9\n\txor 9, 9, 8")
KERNEL(branches_not_taken, "", "cmpdi 0, %0, 0\n\tblt 0, 2f\n\tblt 0, 2f\n\tblt 0, 2f\n2:")
KERNEL(branches_taken, "",
       "cmpdi 0, %0, 0\n\tbgt 0, 2f\n\tnop\n2:\tbgt 0, 3f\n\tnop\n3:\tbgt 0, 4f\n\tnop\n4:")
KERNEL(jumps, "", "b 2f\n\tnop\n2:\tb 3f\n\tnop\n3:\tb 4f\n\tnop\n4:")
/* A generator of random bits (xorshift), and a branch by one of them. */
KERNEL(random_branch, "li 8, 0x2545",
       "sldi 9, 8, 13\n\txor 8, 8, 9\n\tsrdi 9, 8, 7\n\txor 8, 8, 9\n\tsldi 9, 8, 17\n\txor 8, 8, 9\n\t"
       "andis. 9, 8, 16\n\tbeq 0, 2f\n\tnop\n2:")
KERNEL(loads, "", "ld 8, 0(%1)\n\tld 9, 8(%1)\n\tld 10, 16(%1)\n\tld 8, 24(%1)")
KERNEL(stores, "", "std %0, 512(%1)\n\tstd %0, 520(%1)\n\tstd %0, 528(%1)")
KERNEL(loads_and_stores, "", "ld 8, 0(%1)\n\tld 9, 8(%1)\n\tstd %0, 512(%1)")

#define FROM_DOUBLE "lfd 0, 0(%1)\n\tlfd 1, 0(%1)\n\tlfd 2, 0(%1)"
#define FROM_SINGLE "lfs 0, 256(%1)\n\tlfs 1, 256(%1)\n\tlfs 2, 256(%1)"
#define SPLAT "\n\txxspltd 0, 0, 0\n\txxspltd 1, 1, 0\n\txxspltd 2, 2, 0"
KERNEL(double_add, FROM_DOUBLE, THREE "fadd 0, 0, 1" ENDED)
KERNEL(double_multiply, FROM_DOUBLE, THREE "fmul 0, 0, 1" ENDED)
KERNEL(double_divide, FROM_DOUBLE, THREE "fdiv 0, 0, 1" ENDED)
KERNEL(double_sqrt, FROM_DOUBLE, THREE "fsqrt 0, 0" ENDED)
KERNEL(double_fma, FROM_DOUBLE, THREE "fnmsub 0, 1, 2, 0" ENDED)
KERNEL(single_add, FROM_SINGLE, THREE "fadds 0, 0, 1" ENDED)
KERNEL(single_multiply, FROM_SINGLE, THREE "fmuls 0, 0, 1" ENDED)
KERNEL(single_divide, FROM_SINGLE, THREE "fdivs 0, 0, 1" ENDED)
KERNEL(single_sqrt, FROM_SINGLE, THREE "fsqrts 0, 0" ENDED)
KERNEL(single_fma, FROM_SINGLE, THREE "fnmsubs 0, 1, 2, 0" ENDED)
KERNEL(double_add_128, FROM_DOUBLE SPLAT, THREE "xvadddp 0, 0, 1" ENDED)
KERNEL(double_multiply_128, FROM_DOUBLE SPLAT, THREE "xvmuldp 0, 0, 1" ENDED)
KERNEL(double_fma_128, FROM_DOUBLE SPLAT, THREE "xvnmsubadp 0, 1, 2" ENDED)

const struct kernel kernels[] = {
    SCALAR_ROWS(1),
    FLOAT(double_add_128, ALWAYS, DOUBLE, 2, 1, ADDITIONS),
    FLOAT(double_multiply_128, ALWAYS, DOUBLE, 2, 1, MULTIPLICATIONS),
    FLOAT(double_fma_128, ALWAYS, DOUBLE, 2, 2, MULTIPLY_ADDS),
    {.name = NULL},
};

#endif
