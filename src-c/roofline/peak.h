/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* Kernels that do nothing but floating-point operations in registers: independent chains of acc = acc * x +
 * y, as many as it takes to keep all units of a core busy.
 *   run     does so many rounds of so many operations each, of this precision and no others; memory:
 *           PEAK_MEMORY bytes at a multiple of 64, zeroed or left by another kernel
 *   usable  whether this processor has the instructions; NULL: it always has */
struct peak_kernel {
    const char *name; /* of the instructions */
    int bits;         /* of a register */
    bool is_double;
    int operations; /* of a round */
    void (*run)(long rounds, void *memory);
    bool (*usable)(void);
};

enum { PEAK_MEMORY = 64 * 32 };

/* All kernels, by width, then precision. The last has no run. */
extern const struct peak_kernel peak_kernels[];

/* A chain of additions of integers, of which every processor does one a cycle: how many of them there are in
 * a round, 0 where it is not known how to make one. */
extern const int clock_additions;
void clock_run(long rounds);
