/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that a timer interrupts: checks that a signal's handler can make, which can only note what is
 * wrong.
 */
#pragma once

#include "../src-c/hardware/signal_context.h"
#include "under_valgrind.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static volatile int failed_at; /* a line; 0: nothing is wrong */
static volatile long long failed_value, failed_bound;
static volatile int signals;
static volatile uint64_t interrupted_at; /* address where the last signal came */

static inline void wrong(int line, long long value, long long bound)
{
    if (failed_at == 0) {
        failed_value = value;
        failed_bound = bound;
        failed_at = line;
    }
}

#define HOLDS(condition, value, bound)                                                                       \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            wrong(__LINE__, (value), (bound));                                                               \
    } while (0)
#define IS(call, wanted)                                                                                     \
    do {                                                                                                     \
        int code_ = (call);                                                                                  \
        HOLDS(code_ == (wanted), code_, (wanted));                                                           \
    } while (0)

static void (*volatile in_handler)(void);

static inline void handle(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    signals++;
    interrupted_at = context_address(context);
    if (in_handler != NULL)
        in_handler();
}

/* Microseconds; 0: not any more. A handler must be through before the next signal, or the program stands
 * still. */
static inline void every(int usec)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_RESTART | SA_SIGINFO};
    int each = test_under_valgrind() ? 30 * usec : usec;
    const struct itimerval interval = {{0, each}, {0, each}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &interval, NULL);
}
