/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work of which every operation is known: loops in assembly, which no compiler changes, and walks through
 * memory of a known size.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Operations of one iteration of a loop, its own count-down and branch among them. NAN: it is not known. */
enum quantity {
    INSTRUCTIONS,
    INTEGER,
    LOADS,
    STORES,
    CONDITIONAL, /* branches */
    UNCONDITIONAL,
    TAKEN, /* of the conditional ones */
    NOT_TAKEN,
    SINGLE_OPS,
    DOUBLE_OPS,
    FP_INSTRUCTIONS,
    SINGLE_VECTORS, /* instructions */
    DOUBLE_VECTORS,
    ADDITIONS, /* instructions, scalar and vector */
    MULTIPLICATIONS,
    DIVISIONS,
    SQUARE_ROOTS,
    MULTIPLY_ADDS,
    QUANTITIES
};

/* Things that a processor has or lacks. */
enum feature { ALWAYS, AVX, FMA, AVX512, SVE };

struct kernel {
    const char *name;
    void (*run)(long n, void *ones); /* n iterations; ones: see kernels_ones */
    enum feature needs;
    double of[QUANTITIES];
};

/* Loops for this architecture; the last has no name. None: nobody has written them. */
extern const struct kernel kernels[];

/* True if the processor has the feature. */
bool kernels_feature(enum feature feature);

/* Bytes of the processor's scalable vectors; 0: it has none. Operations of a kernel that needs SVE are in
 * `of` as for vectors of 16 bytes. */
int kernels_scalable_bytes(void);

/* Operations of a kind in one iteration, on this processor. */
double kernels_per_iteration(const struct kernel *kernel, enum quantity quantity);

/* Memory for a kernel: at ONES_DOUBLE 1.0 in double precision, at ONES_SINGLE in single, 256 bytes of each,
 * and from ONES_ROOM on room to store in. */
enum { ONES_DOUBLE = 0, ONES_SINGLE = 256, ONES_ROOM = 512, ONES_SIZE = 1024 };
void kernels_ones(void *memory);
