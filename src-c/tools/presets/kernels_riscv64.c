/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel_rows.h"

#if defined(__riscv) && __riscv_xlen == 64

/* Without compressed instructions, which count alike but need not be there. %0 counts down, %1 is the memory.
 */
#define KERNEL(function, before, body)                                                                       \
    static void function(long n, void *ones)                                                                 \
    {                                                                                                        \
        __asm__ volatile(".option push\n\t.option norvc\n\t" before "\n9:\n\t" body                          \
                         "\n\taddi %0, %0, -1\n\tbne %0, zero, 9b\n\t.option pop"                            \
                         : "+r"(n)                                                                           \
                         : "r"(ones)                                                                         \
                         : "memory", "t0", "t1", "t2", "ft0", "ft1", "ft2");                                 \
    }

KERNEL(integer, "li t0, 3\n\tli t1, 5",
       "add t0, t0, t1\n\txor t1, t1, t0\n\tadd t0, t0, t1\n\txor t1, t1, t0")
KERNEL(branches_not_taken, "", "beq %0, zero, 2f\n\tbeq %0, zero, 2f\n\tbeq %0, zero, 2f\n2:")
KERNEL(branches_taken, "",
       "bne %0, zero, 2f\n\tnop\n2:\tbne %0, zero, 3f\n\tnop\n3:\tbne %0, zero, 4f\n\tnop\n4:")
KERNEL(jumps, "", "j 2f\n\tnop\n2:\tj 3f\n\tnop\n3:\tj 4f\n\tnop\n4:")
/* A generator of random bits (xorshift), and a branch by one of them. */
KERNEL(random_branch, "li t0, 0x2545",
       "slli t1, t0, 13\n\txor t0, t0, t1\n\tsrli t1, t0, 7\n\txor t0, t0, t1\n\tslli t1, t0, 17\n\t"
       "xor t0, t0, t1\n\tsrli t1, t0, 20\n\tandi t1, t1, 1\n\tbeq t1, zero, 2f\n\tnop\n2:")
KERNEL(loads, "", "ld t0, 0(%1)\n\tld t1, 8(%1)\n\tld t2, 16(%1)\n\tld t0, 24(%1)")
KERNEL(stores, "", "sd %0, 512(%1)\n\tsd %0, 520(%1)\n\tsd %0, 528(%1)")
KERNEL(loads_and_stores, "", "ld t0, 0(%1)\n\tld t1, 8(%1)\n\tsd %0, 512(%1)")

#define FROM_DOUBLE "fld ft0, 0(%1)\n\tfld ft1, 0(%1)\n\tfld ft2, 0(%1)"
#define FROM_SINGLE "flw ft0, 256(%1)\n\tflw ft1, 256(%1)\n\tflw ft2, 256(%1)"
KERNEL(double_add, FROM_DOUBLE, THREE "fadd.d ft0, ft0, ft1" ENDED)
KERNEL(double_multiply, FROM_DOUBLE, THREE "fmul.d ft0, ft0, ft1" ENDED)
KERNEL(double_divide, FROM_DOUBLE, THREE "fdiv.d ft0, ft0, ft1" ENDED)
KERNEL(double_sqrt, FROM_DOUBLE, THREE "fsqrt.d ft0, ft0" ENDED)
KERNEL(double_fma, FROM_DOUBLE, THREE "fnmsub.d ft0, ft1, ft2, ft0" ENDED)
KERNEL(single_add, FROM_SINGLE, THREE "fadd.s ft0, ft0, ft1" ENDED)
KERNEL(single_multiply, FROM_SINGLE, THREE "fmul.s ft0, ft0, ft1" ENDED)
KERNEL(single_divide, FROM_SINGLE, THREE "fdiv.s ft0, ft0, ft1" ENDED)
KERNEL(single_sqrt, FROM_SINGLE, THREE "fsqrt.s ft0, ft0" ENDED)
KERNEL(single_fma, FROM_SINGLE, THREE "fnmsub.s ft0, ft1, ft2, ft0" ENDED)

const struct kernel kernels[] = {
    SCALAR_ROWS(0),
    {.name = NULL},
};

#endif
