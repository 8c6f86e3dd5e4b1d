/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* Reads a counter of the calling thread without a system call, by the protocol that linux/perf_event.h states
 * for struct perf_event_mmap_page.
 *
 * The page has, at any moment, the index of the hardware counter that has the event, plus 1 (0: none has it),
 * and an offset, so that the count is offset + hardware counter. The hardware counter has only pmc_width
 * bits, often 48, and the kernel starts it at a negative number, to be interrupted when it passes 0. Its
 * value is therefore extended by its sign: so the sum is right before the counter passes 0, between that and
 * the interrupt, in which the kernel moves the offset, and afterwards, modulo 2^64.
 *
 * The kernel changes the page when the thread is scheduled, moves to another CPU, or the counter passes 0,
 * and with it the sequence number (lock). If that is not the same after the reading as before, offset and
 * counter may not belong together, nor the halves of the offset on a processor of 32 bits, and the value is
 * not used. There is no second try: the caller makes a system call then, which is rare and always right. */

#if defined(__x86_64__)

static inline bool user_read_known(void)
{
    return true;
}

static inline __attribute__((always_inline)) bool hardware_counter(const struct perf_event_mmap_page *page,
                                                                   uint32_t index, uint64_t *value)
{
    (void)page;
    uint64_t low, high; /* the instruction clears their upper halves */
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    *value = high << 32 | low;
    return true;
}

#elif defined(__i386__)

static inline bool user_read_known(void)
{
    return true;
}

static inline __attribute__((always_inline)) bool hardware_counter(const struct perf_event_mmap_page *page,
                                                                   uint32_t index, uint64_t *value)
{
    (void)page;
    __asm__ volatile("rdpmc" : "=A"(*value) : "c"(index));
    return true;
}

#elif defined(__aarch64__)

static inline bool user_read_known(void)
{
    return true;
}

#define PMEVCNTR(n)                                                                                          \
    case n:                                                                                                  \
        __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(*value));                                       \
        return true;
#define PMEVCNTRS(a, b, c, d, e, f, g, h, i, j)                                                              \
    PMEVCNTR(a)                                                                                              \
    PMEVCNTR(b)                                                                                              \
    PMEVCNTR(c) PMEVCNTR(d) PMEVCNTR(e) PMEVCNTR(f) PMEVCNTR(g) PMEVCNTR(h) PMEVCNTR(i) PMEVCNTR(j)

/* The register is part of the instruction, so each index has its own. 31 is the cycle counter. */
static inline __attribute__((always_inline)) bool hardware_counter(const struct perf_event_mmap_page *page,
                                                                   uint32_t index, uint64_t *value)
{
    (void)page;
    switch (index) {
        PMEVCNTRS(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
        PMEVCNTRS(10, 11, 12, 13, 14, 15, 16, 17, 18, 19)
        PMEVCNTRS(20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
        PMEVCNTR(30)
    case 31:
        __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(*value));
        return true;
    default:
        return false;
    }
}
#undef PMEVCNTR
#undef PMEVCNTRS

#elif defined(__riscv) && __riscv_xlen == 64 && __has_include(<sys/rseq.h>)

#include <stddef.h>
#include <sys/rseq.h>

/* The kernel allows a counter's register to a program only while the counter has the program's event: an
 * instruction that reads another ends the program by SIGILL. So the index and the register are read in a
 * restartable sequence, which the kernel leaves where it takes the processor away in between. The C library
 * registers them (glibc 2.35). */
static inline bool user_read_known(void)
{
    return __rseq_size != 0;
}

#define RSEQ_ABORT                                                                                           \
    "0xf1401073" /* stands before what the kernel goes on with; RSEQ_SIG of the architecture                 \
                  */
#define HPMCOUNTER(n)                                                                                        \
    case n:                                                                                                  \
        __asm__ volatile("li %[held], 0\n\t"                                                                 \
                         "lla %[other], 4f\n\t"                                                              \
                         "sd %[other], %[sequence]\n"                                                        \
                         "1:\tlw %[other], %[index]\n\t"                                                     \
                         "bne %[other], %[wanted], 3f\n\t"                                                   \
                         "csrr %[value], 0xc00 + " #n "\n"                                                   \
                         "2:\tli %[held], 1\n"                                                               \
                         "3:\n\t"                                                                            \
                         ".pushsection .data.rel.ro.rseq, \"aw\"\n\t"                                        \
                         ".balign 32\n"                                                                      \
                         "4:\t.word 0, 0\n\t"                                                                \
                         ".dword 1b, 2b - 1b, 5f\n\t"                                                        \
                         ".popsection\n\t"                                                                   \
                         ".pushsection .text.rseq, \"ax\"\n\t"                                               \
                         ".balign 4\n\t"                                                                     \
                         ".word " RSEQ_ABORT "\n"                                                            \
                         "5:\tjump 3b, %[other]\n\t"                                                         \
                         ".popsection"                                                                       \
                         : [value] "=&r"(*value), [held] "=&r"(held), [other] "=&r"(other),                  \
                           [sequence] "=m"(area->rseq_cs)                                                    \
                         : [index] "m"(page->index), [wanted] "r"(index + 1)                                 \
                         : "memory");                                                                        \
        return held != 0;
#define HPMCOUNTERS(a, b, c, d, e, f, g, h, i, j)                                                            \
    HPMCOUNTER(a)                                                                                            \
    HPMCOUNTER(b)                                                                                            \
    HPMCOUNTER(c)                                                                                            \
    HPMCOUNTER(d) HPMCOUNTER(e) HPMCOUNTER(f) HPMCOUNTER(g) HPMCOUNTER(h) HPMCOUNTER(i) HPMCOUNTER(j)

/* The register is part of the instruction, so each index has its own. 1 is the time. */
static inline __attribute__((always_inline)) bool hardware_counter(const struct perf_event_mmap_page *page,
                                                                   uint32_t index, uint64_t *value)
{
    struct rseq *area = (void *)((char *)__builtin_thread_pointer() + __rseq_offset);
    uint64_t other;
    unsigned held;
    switch (index) {
        HPMCOUNTER(0)
        HPMCOUNTERS(2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
        HPMCOUNTERS(12, 13, 14, 15, 16, 17, 18, 19, 20, 21)
        HPMCOUNTERS(22, 23, 24, 25, 26, 27, 28, 29, 30, 31)
    default:
        return false;
    }
}
#undef HPMCOUNTER
#undef HPMCOUNTERS
#undef RSEQ_ABORT

#else

static inline bool user_read_known(void)
{
    return false;
}

static inline __attribute__((always_inline)) bool hardware_counter(const struct perf_event_mmap_page *page,
                                                                   uint32_t index, uint64_t *value)
{
    (void)page;
    (void)index;
    (void)value;
    return false;
}

#endif

/* false: the counter is not loaded, or the kernel changed its page meanwhile: only the kernel can tell. */
static inline __attribute__((always_inline)) bool user_read(const struct perf_event_mmap_page *page,
                                                            uint64_t *count)
{
    uint32_t sequence = *(const volatile uint32_t *)&page->lock;
    __asm__ volatile("" ::: "memory");
    uint32_t index = *(const volatile uint32_t *)&page->index;
    uint64_t value;
    if (unlikely(index == 0 || !hardware_counter(page, index - 1, &value)))
        return false;
    /* The counter has pmc_width bits and a sign; 64 less it is its negative in the six bits of a shift. */
    unsigned shift = -(unsigned)page->pmc_width & 63;
    value = (uint64_t)page->offset + (uint64_t)((int64_t)(value << shift) >> shift);
    __asm__ volatile("" : "+r"(value)::"memory");
    *count = value;
    return likely(page->lock == sequence);
}
