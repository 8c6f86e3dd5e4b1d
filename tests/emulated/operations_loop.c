/* SPDX-License-Identifier: BSD-3-Clause */
#include "operations_loop.h"

#define LABEL(name) ".globl " name "\n\t.hidden " name "\n" name ":\t"

#if defined(__x86_64__)
#define ZEROES "xorps %xmm0, %xmm0\n\txorps %xmm1, %xmm1\n"
#define ADD "addsd %xmm1, %xmm0\n\tnop\n"
#define MULTIPLY "mulsd %xmm1, %xmm0\n"
#define SUBTRACT "subsd %xmm1, %xmm0\n\tdec %rdi\n"
#define BRANCH(to) "jne " to "\n"
#elif defined(__aarch64__)
#define ZEROES "movi d0, #0\n\tmovi d1, #0\n"
#define ADD "fadd d0, d0, d1\n\tnop\n"
#define MULTIPLY "fmul d0, d0, d1\n"
#define SUBTRACT "fsub d0, d0, d1\n\tsubs x0, x0, #1\n"
#define BRANCH(to) "b.ne " to "\n"
#endif

#define LOOP(function, name)                                                                                 \
    __asm__(".text\n\t.balign 4096\n\t.globl " function "\n\t.type " function ", %function\n" function       \
            ":\t" ZEROES LABEL(name "_0") ADD LABEL(name "_1") MULTIPLY LABEL(name "_2")                     \
                SUBTRACT LABEL(name "_branch") BRANCH(name "_0") LABEL(name "_end") "ret\n\t.size " function \
                                                                                    ", .-" function)

LOOP("operations_loop", "operation");
LOOP("other_loop", "other");
