/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that steps through a call of itself: SIGTRAP comes after each of its instructions. Where that can
 * be done, STEPPING is defined: the instructions that sanitizers add make it take many times as long.
 */
#pragma once

#include <string.h>

/* Instructions from one that a handler comes at to the next: one, if the program's argument asks for all. */
static inline int step_apart(int argc, char **argv, int usual)
{
    return argc > 1 && strcmp(argv[1], "all") == 0 ? 1 : usual;
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STEPPING

#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

enum { TRAP_FLAG = 1 << 8 };

/* From now on each step calls this. */
static inline void step_with(void (*trap)(int, siginfo_t *, void *))
{
    const struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
}

/* Ends the stepping, in a trap. */
static inline void step_no_more(ucontext_t *interrupted)
{
    interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static __attribute__((noinline)) void step_through(void (*call)(void))
{
    __asm__ volatile("pushfq\n orq %0, (%%rsp)\n popfq" : : "i"(TRAP_FLAG) : "cc", "memory");
    call();
    __asm__ volatile("pushfq\n andq %0, (%%rsp)\n popfq" : : "i"(~TRAP_FLAG) : "cc", "memory");
}

#endif
