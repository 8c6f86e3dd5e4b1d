/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cases of 64-bit Arm alone: jump tables that counters make too small, branches that do not reach as far as
 * others, exclusive accesses of memory, thread-local memory.
 */
#include "marks.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 200 };

static volatile int64_t result;
static int64_t table[64];
static _Atomic int32_t shared;
static _Atomic int64_t wide;
static _Thread_local int64_t own = 3;

static void empty(void)
{
}

static __attribute__((noinline)) int64_t twice(int64_t x)
{
    return 2 * x;
}

/* A case for each remainder, of which each calls: distances in a byte do not suffice with counters. */
#define CASE(n)                                                                                              \
    case n:                                                                                                  \
        sum += twice(sum & 0xff) + n * n;                                                                    \
        if (sum & 1)                                                                                         \
            sum ^= n;                                                                                        \
        break;
#define CASES(n) CASE(n) CASE(n + 1) CASE(n + 2) CASE(n + 3) CASE(n + 4)

static __attribute__((noinline)) int64_t chosen(unsigned which, int64_t sum)
{
    switch (which) {
        CASES(0)
        CASES(5)
        CASES(10)
        CASES(15)
        CASES(20)
    default:
        return sum - 1;
    }
    return sum + which;
}

static void choose(void)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < N; i++)
        sum = chosen(i * 7 % 27, sum);
    result = sum;
}

/* TBZ and TBNZ reach 32 KiB, and what is skipped grows. */
#define STEP(n)                                                                                              \
    if (table[(n) % 64] > sum)                                                                               \
        sum += twice(n);                                                                                     \
    else                                                                                                     \
        result = sum;
#define STEPS(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5) STEP(n + 6) STEP(n + 7)
#ifdef NEAR /* for most cases: it takes compilers seconds */
#define MANY(n) STEP(n)
#else
#define MANY(n) STEPS(n) STEPS(n + 8) STEPS(n + 16) STEPS(n + 24) STEPS(n + 32) STEPS(n + 40) STEPS(n + 48)
#endif

static __attribute__((noinline)) int64_t skipped(int64_t bits, int64_t sum)
{
    if (bits & 4) {
        MANY(1)
        MANY(64)
        MANY(128)
        MANY(192)
        MANY(256)
        MANY(320)
        MANY(384)
        MANY(448)
        MANY(512)
        MANY(576)
        MANY(640)
        MANY(704)
        MANY(768)
        MANY(832)
        MANY(896)
        sum ^= 1;
    }
    if (!(bits & 8)) {
        MANY(3)
        sum ^= 2;
    }
    return sum;
}

static void far(void)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < 16; i++)
        sum = skipped(i, sum);
    result = sum;
}

/* Atomic operations. With -mno-outline-atomics these are loops of exclusive loads and stores; no other store
 * may be in them. */
static void exclusive(void)
{
    for (int32_t i = 0; i < N; i++) {
        int32_t expected = i & 3;
        if (!atomic_compare_exchange_strong(&shared, &expected, i & 7))
            atomic_fetch_add(&shared, expected - i);
        atomic_fetch_xor(&wide, i);
        if (atomic_exchange(&wide, i) == i - 1)
            atomic_fetch_sub(&shared, 1);
    }
    result = shared + wide;
}

static void thread_local(void)
{
    for (int i = 0; i < N; i++)
        own = own * 3 + twice(own & 7);
    result = own;
}

static int64_t (*volatile pointer)(int64_t) = twice;

static void pointers(void)
{
    int64_t sum = 1;
    for (int i = 0; i < N; i++)
        sum = sum & 3 ? pointer(sum) : sum / 4 + i;
    result = sum;
}

/* Registers that counters would like to have: all are in use. */
static void crowded(void)
{
    int64_t sum = 5;
    for (int64_t i = 0; i < N; i++) {
        register int64_t a __asm__("x16") = sum;
        register int64_t b __asm__("x17") = i;
        register int64_t c __asm__("x14") = 3;
        __asm__ volatile("cmp %2, #100\n\tb.lt 1f\n\tadd %0, %0, %1\n\tb 2f\n1:\tsub %0, %0, %3\n2:\n"
                         : "+r"(a), "+r"(b)
                         : "r"(i), "r"(c)
                         : "cc", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
                           "x12", "x13", "x15");
        sum = a + (b & 1);
    }
    result = sum;
}

static const struct {
    const char *name;
    void (*run)(void);
} kernels[] = {{"empty", empty},         {"choose", choose},       {"far", far},
               {"exclusive", exclusive}, {"thread", thread_local}, {"pointers", pointers},
               {"crowded", crowded}};

int main(void)
{
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        void (*volatile run)(void) = kernels[i].run;
        for (int j = 0; j < 64; j++)
            table[j] = j * 7919 % 101;
        mark_begin();
        run();
        mark_end(kernels[i].name);
        printf("%s RESULT %lld\n", kernels[i].name, (long long)result);
    }
    return 0;
}
