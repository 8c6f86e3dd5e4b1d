/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_CORE_TIMES_H
#define PAPI_CORE_TIMES_H

#include "base/times_file.h"
#include "core/library.h"
#include "hardware/clock.h"

/* The clocks as programs read them: those of the machine, or, where papi_emulate --native-times says
 * so, those of a run of the same program that was not emulated. */

struct times;

/* One call while it is not known, or not so, that the machine's clocks are wanted. */
long long times_call(enum times_kind kind) __attribute__((cold));

/* What a thread holds; NULL: nothing. After a fork the child holds nothing of the parent's. */
void times_close(struct times *times);
void times_after_fork(void);

static inline int times_plain(void)
{
    return __builtin_expect(
        atomic_load_explicit(&papi_library.times_mode, memory_order_relaxed) == TIMES_PLAIN, 1);
}

/* Nanoseconds of real time; of the thread's CPU time; ticks of PAPI_get_real_cyc. */
static inline long long times_real(void)
{
    return times_plain() ? clock_real_nsec() : times_call(TIMES_REAL);
}

static inline long long times_virtual(void)
{
    return times_plain() ? clock_virt_nsec() : times_call(TIMES_VIRTUAL);
}

static inline long long times_ticks(void)
{
    return times_plain() ? clock_ticks() : times_call(TIMES_TICKS);
}

#endif
