/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include <ucontext.h>

/* The third argument of a signal's handler, by processor. Both functions are async-signal-safe. */

/* Address at which the signal interrupted the program; 0 on a processor that is not known. */
static inline uint64_t context_address(const void *context)
{
    const ucontext_t *user = context;
#if defined(__x86_64__)
    return (uint64_t)user->uc_mcontext.gregs[REG_RIP];
#elif defined(__i386__)
    return (uint32_t)user->uc_mcontext.gregs[REG_EIP];
#elif defined(__aarch64__)
    return user->uc_mcontext.pc;
#elif defined(__riscv)
    return user->uc_mcontext.__gregs[REG_PC];
#elif defined(__powerpc64__)
    return user->uc_mcontext.gp_regs[32]; /* nip */
#elif defined(__s390x__)
    return user->uc_mcontext.psw.addr;
#elif defined(__arm__)
    return user->uc_mcontext.arm_pc;
#elif defined(__loongarch__)
    return user->uc_mcontext.__pc;
#else
    (void)user;
    return 0;
#endif
}

/* A number made of the registers at the interrupt: equal for equal registers, 0 on a processor that is not
 * known. */
static inline uint64_t context_registers(const void *context)
{
    const ucontext_t *user = context;
    uint64_t sum = 0;
#if defined(__x86_64__)
    for (int i = 0; i <= REG_EFL; i++)
        sum = sum * 31 + (uint64_t)user->uc_mcontext.gregs[i];
#elif defined(__i386__)
    for (int i = REG_EDI; i <= REG_EFL; i++)
        sum = sum * 31 + (uint32_t)user->uc_mcontext.gregs[i];
#elif defined(__aarch64__)
    for (int i = 0; i < 31; i++)
        sum = sum * 31 + user->uc_mcontext.regs[i];
    sum = (sum * 31 + user->uc_mcontext.sp) * 31 + user->uc_mcontext.pstate;
#else
    (void)user;
#endif
    return sum;
}
