/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <signal.h>

/* Blocks this thread's signals, and notes in before which ones were blocked. Those that the kernel sends a
 * thread for what it does itself stay: it kills the process where one of them is blocked, as it does at a
 * system call that a seccomp filter traps (SIGSYS). */
static inline void signals_block(sigset_t *before)
{
    static const int of_the_thread[] = {SIGSYS, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof of_the_thread / sizeof *of_the_thread; i++)
        sigdelset(&all, of_the_thread[i]);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

static inline void signals_restore(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
