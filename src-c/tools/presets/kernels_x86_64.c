/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel_rows.h"

#if defined(__x86_64__)

/* before: once, after: once; the body n times. %0 counts down, %1 is the memory. */
#define KERNEL(function, before, body, after)                                                                \
    static void function(long n, void *ones)                                                                 \
    {                                                                                                        \
        __asm__ volatile(before "\n\t.p2align 5\n9:\n\t" body "\n\tsub $1, %0\n\tjne 9b\n\t" after           \
                         : "+r"(n)                                                                           \
                         : "r"(ones)                                                                         \
                         : "cc", "memory", "rax", "rcx", "rdx", "xmm0", "xmm1", "xmm2");                     \
    }

/* Registers are added, not constants, which some processors add while they rename. */
KERNEL(integer, "mov $3, %%eax\n\tmov $5, %%ecx",
       "add %%rcx, %%rax\n\txor %%rax, %%rcx\n\tadd %%rcx, %%rax\n\txor %%rax, %%rcx", "")
KERNEL(branches_not_taken, "xor %%eax, %%eax", "test %%eax, %%eax\n\tjne 2f\n\tjne 2f\n\tjne 2f\n2:", "")
KERNEL(branches_taken, "xor %%eax, %%eax",
       "test %%eax, %%eax\n\tje 2f\n\tnop\n2:\tje 3f\n\tnop\n3:\tje 4f\n\tnop\n4:", "")
KERNEL(jumps, "", "jmp 2f\n\tnop\n2:\tjmp 3f\n\tnop\n3:\tjmp 4f\n\tnop\n4:", "")
/* A generator of random bits (xorshift), and a branch by one of them. */
KERNEL(random_branch, "mov $88172645463325252, %%rax",
       "mov %%rax, %%rcx\n\tshl $13, %%rcx\n\txor %%rcx, %%rax\n\tmov %%rax, %%rcx\n\tshr $7, %%rcx\n\t"
       "xor %%rcx, %%rax\n\tmov %%rax, %%rcx\n\tshl $17, %%rcx\n\txor %%rcx, %%rax\n\t"
       "test $0x100000, %%eax\n\tje 2f\n\tnop\n2:",
       "")
KERNEL(loads, "", "mov (%1), %%rax\n\tmov 8(%1), %%rcx\n\tmov 16(%1), %%rdx\n\tmov 24(%1), %%rax", "")
KERNEL(stores, "", "mov %0, 512(%1)\n\tmov %0, 520(%1)\n\tmov %0, 528(%1)", "")
KERNEL(loads_and_stores, "", "mov (%1), %%rax\n\tmov 8(%1), %%rcx\n\tmov %%rdx, 512(%1)", "")

#define LOADED(load, suffix, name, from)                                                                     \
    load suffix " " from "(%1), %%" name "0\n\t" load suffix " " from "(%1), %%" name "1\n\t" load suffix    \
                " " from "(%1), %%" name "2"
#define SSE(function, instruction, suffix, from)                                                             \
    KERNEL(function, LOADED("movup", from##_LETTER, "xmm", from##_PLACE),                                    \
           THREE instruction suffix " %%xmm1, %%xmm0" ENDED, "")
#define double_LETTER "d"
#define double_PLACE "0"
#define single_LETTER "s"
#define single_PLACE "256"
SSE(double_add, "add", "sd", double)
SSE(double_multiply, "mul", "sd", double)
SSE(double_divide, "div", "sd", double)
SSE(double_sqrt, "sqrt", "sd", double)
SSE(single_add, "add", "ss", single)
SSE(single_multiply, "mul", "ss", single)
SSE(single_divide, "div", "ss", single)
SSE(single_sqrt, "sqrt", "ss", single)
SSE(double_add_128, "add", "pd", double)
SSE(double_multiply_128, "mul", "pd", double)
SSE(double_divide_128, "div", "pd", double)
SSE(double_sqrt_128, "sqrt", "pd", double)
SSE(single_add_128, "add", "ps", single)
SSE(single_multiply_128, "mul", "ps", single)

#define WIDE(function, instruction, suffix, from, name, last)                                                \
    KERNEL(function, LOADED("vmovup", from##_LETTER, name, from##_PLACE),                                    \
           THREE instruction suffix " %%" last "2, %%" last "1, %%" last "0" ENDED, "vzeroupper")
WIDE(double_add_256, "vadd", "pd", double, "ymm", "ymm")
WIDE(double_multiply_256, "vmul", "pd", double, "ymm", "ymm")
WIDE(single_add_256, "vadd", "ps", single, "ymm", "ymm")
WIDE(single_multiply_256, "vmul", "ps", single, "ymm", "ymm")
WIDE(double_fma, "vfnmadd231", "sd", double, "xmm", "xmm")
WIDE(single_fma, "vfnmadd231", "ss", single, "xmm", "xmm")
WIDE(double_fma_128, "vfnmadd231", "pd", double, "xmm", "xmm")
WIDE(double_fma_256, "vfnmadd231", "pd", double, "ymm", "ymm")
WIDE(single_fma_256, "vfnmadd231", "ps", single, "ymm", "ymm")
WIDE(double_add_512, "vadd", "pd", double, "zmm", "zmm")
WIDE(single_add_512, "vadd", "ps", single, "zmm", "zmm")
WIDE(double_fma_512, "vfnmadd231", "pd", double, "zmm", "zmm")
WIDE(single_fma_512, "vfnmadd231", "ps", single, "zmm", "zmm")

const struct kernel kernels[] = {
    SCALAR_ROWS(1),
    FLOAT(double_add_128, ALWAYS, DOUBLE, 2, 1, ADDITIONS),
    FLOAT(double_multiply_128, ALWAYS, DOUBLE, 2, 1, MULTIPLICATIONS),
    FLOAT(double_divide_128, ALWAYS, DOUBLE, 2, 1, DIVISIONS),
    FLOAT(double_sqrt_128, ALWAYS, DOUBLE, 2, 1, SQUARE_ROOTS),
    FLOAT(single_add_128, ALWAYS, SINGLE, 4, 1, ADDITIONS),
    FLOAT(single_multiply_128, ALWAYS, SINGLE, 4, 1, MULTIPLICATIONS),
    FLOAT(double_add_256, AVX, DOUBLE, 4, 1, ADDITIONS),
    FLOAT(double_multiply_256, AVX, DOUBLE, 4, 1, MULTIPLICATIONS),
    FLOAT(single_add_256, AVX, SINGLE, 8, 1, ADDITIONS),
    FLOAT(single_multiply_256, AVX, SINGLE, 8, 1, MULTIPLICATIONS),
    FLOAT(double_fma_128, FMA, DOUBLE, 2, 2, MULTIPLY_ADDS),
    FLOAT(double_fma_256, FMA, DOUBLE, 4, 2, MULTIPLY_ADDS),
    FLOAT(single_fma_256, FMA, SINGLE, 8, 2, MULTIPLY_ADDS),
    FLOAT(double_add_512, AVX512, DOUBLE, 8, 1, ADDITIONS),
    FLOAT(single_add_512, AVX512, SINGLE, 16, 1, ADDITIONS),
    FLOAT(double_fma_512, AVX512, DOUBLE, 8, 2, MULTIPLY_ADDS),
    FLOAT(single_fma_512, AVX512, SINGLE, 16, 2, MULTIPLY_ADDS),
    {.name = NULL},
};

#endif
