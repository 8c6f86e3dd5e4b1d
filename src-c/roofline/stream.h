/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct cpus; /* team.h */

/* The loops that bandwidth is measured with: the sum of an array, and the four of STREAM. */
enum stream_loop {
    STREAM_READ,  /* s += a(i) */
    STREAM_COPY,  /* b(i) = a(i) */
    STREAM_SCALE, /* b(i) = 3 * a(i) */
    STREAM_ADD,   /* c(i) = a(i) + b(i) */
    STREAM_TRIAD, /* c(i) = a(i) + 3 * b(i) */
    STREAM_LOOPS
};

/* Shape of a loop: for each element of 8 bytes how many are read and written, and double-precision
 * operations. A line that is written without being read counts once, as in STREAM, although a cache may read
 * it first. */
struct stream_shape {
    const char *name;
    int read, written, operations;
};
extern const struct stream_shape stream_shapes[STREAM_LOOPS];

enum { STREAM_MULTIPLE = 64 }; /* of elements */

/* Goes through arrays of n elements, a multiple of STREAM_MULTIPLE, so many times. They are at a multiple of
 * 64 bytes. */
typedef void stream_function(double *a, double *b, double *c, long n, long passes);

/* Loops with registers of so many bits. */
struct stream_kernels {
    int bits;
    stream_function *run[STREAM_LOOPS];
    bool (*usable)(void);
};

/* The widest come first, and the last are always usable. */
extern const struct stream_kernels stream_kernels[];

/* The widest kernels that this processor can run, which the tool uses. */
const struct stream_kernels *stream_widest(void);

/* ---- sizes of arrays */

/* Sizes of a loop's arrays, such that they come from one level and from nowhere else. */

/* Bytes for each of so many threads, all arrays together; 0: what the level has for a thread is not larger
 * than the level below. level: of cpus->cache, or n_caches for memory. */
long long sizes_level(const struct cpus *cpus, int level, int threads);

/* Number of arrays of a loop (enum stream_loop), and elements of each if all together take so many bytes. */
int sizes_arrays(int loop);
long sizes_elements(int loop, long long bytes);
