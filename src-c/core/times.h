/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "core/library.h"
#include "formats/native_times.h"
#include "hardware/clock.h"

/* The clocks as programs read them: those of the machine, or, where papi_emulate --native-times says
 * so, those of a run of the same program that was not emulated. */

struct times;

/* Reads a clock while it is not known, or not so, that the machine's clocks are wanted. */
long long times_call(enum times_kind kind) __attribute__((cold));

/* Frees what a thread holds; NULL: nothing. After a fork the child holds nothing of the parent's. */
void times_close(struct times *times);
void times_after_fork(void);

/* The clock to read. NULL: times are recorded or replayed, or it is not known yet; times_call does what is
 * needed. */
static inline clock_reader *times_reader(void)
{
    return atomic_load_explicit(&papi_library.clock, memory_order_relaxed);
}

/* Nanoseconds of real time; microseconds of it; nanoseconds of the thread's CPU time; ticks of
 * PAPI_get_real_cyc. */
static inline long long times_real(void)
{
    clock_reader *reader = times_reader();
    return likely(reader != NULL) ? clock_nsec_by(reader, CLOCK_MONOTONIC) : times_call(TIMES_REAL);
}

static inline long long times_real_usec(void)
{
    clock_reader *reader = times_reader();
    return likely(reader != NULL) ? clock_usec_by(reader, CLOCK_MONOTONIC) : times_call(TIMES_REAL) / 1000;
}

static inline long long times_virtual(void)
{
    return likely(times_reader() != NULL) ? clock_virt_nsec() : times_call(TIMES_VIRTUAL);
}

static inline void times_ticks_and_real(long long *ticks, long long *nsec)
{
    clock_reader *reader = times_reader();
    bool plain = likely(reader != NULL);
    *ticks = plain ? clock_ticks_by(reader) : times_call(TIMES_TICKS);
    *nsec = plain ? clock_nsec_by(reader, CLOCK_MONOTONIC) : times_call(TIMES_REAL);
}

static inline long long times_ticks(void)
{
    clock_reader *reader = times_reader();
    return likely(reader != NULL) ? clock_ticks_by(reader) : times_call(TIMES_TICKS);
}
