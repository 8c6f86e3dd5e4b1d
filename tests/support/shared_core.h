/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "../../src-c/base/seconds.h"

#include <stdbool.h>

/* True if something else runs on this core: another hardware thread, of a virtual machine's neighbour
 * perhaps, which no count of this machine shows. What a core does in a cycle is then less than its own, and
 * no measurement of it means anything. Independent additions tell it where four in a cycle are usual, by
 * dependent multiplications of three cycles each; elsewhere it is not known, and false. */
#if defined(__x86_64__)
static inline double shared_core_chain(long n)
{
    double begin = seconds_now();
    long a = 3;
    for (long i = 0; i < n; i++)
        __asm__ volatile("imul %0, %0\n imul %0, %0\n imul %0, %0\n imul %0, %0" : "+r"(a));
    return (seconds_now() - begin) / (double)(12 * n);
}

static inline double shared_core_additions(long n)
{
    double begin = seconds_now();
    long a = 0, b = 0, c = 0, d = 0;
    for (long i = 0; i < n; i++)
        __asm__ volatile(".rept 8\n add $1, %0\n add $1, %1\n add $1, %2\n add $1, %3\n .endr"
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    return (seconds_now() - begin) / (double)(32 * n);
}

static inline bool core_is_shared(void)
{
    enum { WINDOWS = 10, ROUNDS = 50, TURNS = 5000 };
    double fewest = 4;
    for (int window = 0; window < WINDOWS; window++) {
        double cycle = 1, addition = 1;
        for (int round = 0; round < ROUNDS; round++) {
            double chain = shared_core_chain(TURNS), additions = shared_core_additions(TURNS);
            cycle = chain < cycle ? chain : cycle;
            addition = additions < addition ? additions : addition;
        }
        fewest = cycle / addition < fewest ? cycle / addition : fewest;
    }
    return fewest < 3.6; /* the loop's own instructions are a thirtieth */
}
#else
static inline bool core_is_shared(void)
{
    return false;
}
#endif
