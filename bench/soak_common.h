/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* Parts that the programs of bench/soak share: random choices, known work, phases, and what a process
 * holds. */

/* Counts of CPU-CLOCK (nanoseconds) from one overflow to the next, of the library's sets and of the bare
 * program's alike. Both end half a period after an overflow: the last one may come a little late. */
enum { PERIOD = 200000, LEAST_PERIODS = 4, MOST_PERIODS = 30 };

/* The number of threads of each program whose overflows are compared. */
enum { OVERFLOWING = 3 };

/* Overflows of several starts and stops. */
struct overflows {
    long long intervals; /* from a start to a stop */
    long long expected;  /* counts / PERIOD, of each interval */
    long long taken;     /* handler calls, or samples */
    long long missing, extra;
    long long said;    /* intervals for which the library or the kernel said that overflows are missing */
    long long records; /* bare: what records of lost samples say */
    long long signals; /* bare: how many arrived */
    long long unasked; /* bare: samples for which no signal had come by the stop */
};

void overflows_note(struct overflows *overflows, long long count, long long taken, int said);
void overflows_merge(struct overflows *all, const struct overflows *one);
void overflows_print(const char *name, const struct overflows *overflows);

struct dice {
    uint64_t state;
};
struct dice dice_of(uint64_t seed, unsigned phase, unsigned thread);
unsigned roll(struct dice *dice, unsigned sides);

/* Touches n fresh pages. false: there is no memory. */
int touch_pages(unsigned n);
/* Computes for a few microseconds. */
void compute(void);

long long real_nsec(void);
long long thread_nsec(void);

/* The kernel's side of a clock that overflows: user mode alone, where this user may not count the kernel. */
int counts_kernel(void);

/* Resources that the process holds once its other threads are gone. */
struct held {
    long resident_kb, maps, descriptors, timers, threads;
    long long heap;
};
struct held held_now(void);
void held_print(const struct held *held);

/* The program ends at SIGTERM or SIGINT, or with the process that started it. */
void end_when_told(void);
int is_told_to_end(void);

/* A phase lasts so long, less when the program is to end. */
void phase_begin(double seconds);
int phase_goes_on(void);
