/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Kernels that measure a device of NVIDIA's, as text for its driver, which translates it for the device. */

enum {
    KERNEL_THREADS = 256,        /* of a block */
    KERNEL_CHAINS = 8,           /* of a thread: sums that do not wait for one another */
    KERNEL_STEPS = 32,           /* of each chain in a round */
    KERNEL_MOST_STEPS = 1 << 22, /* of each chain, so that its sum is exact in single precision */
    KERNEL_VECTOR = 16,          /* bytes that a thread reads at once */
};

/* papi_fma_double and papi_fma_single (out, x, y, rounds): each chain of a thread begins as the thread's
 * number in its block and its own, and becomes itself times x plus y, KERNEL_STEPS times in each of the
 * rounds. Then it is in out, KERNEL_CHAINS for each thread.
 *
 * papi_read (out, from, vectors): each thread reads so many vectors, all threads beside one another, and has
 * the sum of their words, each of 32 bits, in out. */
#define KERNEL_DOUBLE "papi_fma_double"
#define KERNEL_SINGLE "papi_fma_single"
#define KERNEL_READ "papi_read"

/* The text of all, to be freed. */
char *device_kernels(void);
