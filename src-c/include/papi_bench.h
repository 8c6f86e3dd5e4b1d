/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_BENCH_H
#define PAPI_BENCH_H

/* Micro-benchmarks that are counted, not timed:
 *
 *   PAPI_BENCH("sum of a thousand") {
 *       PAPI_BENCH_KEEP(sum = add_up(array, 1000));
 *   }
 *
 * papi_gate has each as a region of this name, with the exact counts of what is between the braces: one run
 * is enough. What the beginning and the end add is counted beside it, around nothing, and taken away. Without
 * papi_gate the code runs once, and costs nothing else. Nothing is linked (dlsym is in the C library; before
 * glibc 2.34: -ldl); the program is built by papi_counted, with any options.
 *
 * What runs several times under one name is added up. A bench inside of another ends the outer one, which is
 * not counted then; so does one that is left by break, goto or return. Other threads are not in it.
 */
#include <dlfcn.h>
#include <string.h>

/* Has the compiler compute this value, though nobody needs it, and where it stands. */
#define PAPI_BENCH_KEEP(expression)                                                                          \
    do {                                                                                                     \
        __typeof__(expression) papi_bench_kept = (expression);                                               \
        __asm__ volatile("" : : "r"(&papi_bench_kept) : "memory");                                           \
    } while (0)

#define PAPI_BENCH(name)                                                                                     \
    for (int papi_bench_more = (papi_bench_nothing(name), papi_bench_mark(name, PAPI_BENCH_BEGIN), 1);       \
         papi_bench_more; papi_bench_more = papi_bench_stop())

/* ---- the rest is not for programs */

enum { PAPI_BENCH_NOTHING, PAPI_BENCH_BEGIN, PAPI_BENCH_CALLED, PAPI_BENCH_END };

/* Calls what papi_gate has loaded into the process. */
static __attribute__((noinline, unused)) void papi_bench_mark(const char *name, int step)
{
    void (*mark)(const char *, int);
    void *found = dlsym((void *)0, "papi_gate_bench");
    if (found) {
        memcpy(&mark, &found, sizeof mark);
        mark(name, step);
    }
}

static __attribute__((noinline, unused)) int papi_bench_end(void)
{
    papi_bench_mark("", PAPI_BENCH_END);
    return 0;
}

/* Something that the compiler cannot see follows the call: it stays a call, and does not become a jump. */
static inline __attribute__((always_inline, unused)) int papi_bench_stop(void)
{
    int more = papi_bench_end();
    __asm__ volatile("" : "+r"(more));
    return more;
}

/* The same loop as PAPI_BENCH's, around nothing. */
static __attribute__((noinline, unused)) void papi_bench_nothing(const char *name)
{
    for (int papi_bench_more = (papi_bench_mark(name, PAPI_BENCH_NOTHING), 1); papi_bench_more;
         papi_bench_more = papi_bench_stop())
        ;
}

#endif
