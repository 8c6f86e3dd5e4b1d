/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/device/device_ranges.h"
#include <pthread.h>
#include <signal.h>

/* Kernels that a device counts one by one: the vendor's library says when one is launched and, in a thread of
 * its own, what it counted. A reading waits for those launched before it and not for later ones: those that
 * have not ended are of one of two phases, which readings change. */

/* The head of a vendor's plan. */
struct kernel_plan {
    struct device_plan plan;
    struct device_ranges ranges; /* all of one device */
    /* Guarded by the lock of struct device_kernels. */
    uint64_t serial;
    int phase;
    long launched[2];
    int code; /* of a kernel's counts */
    double sum[MAX_COUNTERS];
};

/* The plans that count kernels now: a part of the opened library. */
struct device_kernels {
    int (*switch_all)(struct device_kernels *kernels,
                      bool on); /* the library's, for the first and last device */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    pthread_mutex_t switching; /* held before the other one, and while the library starts or stops */
    int n_counted;             /* devices; of whoever switches */
    uint64_t serial;           /* of the last start */
    struct kernel_plan *counted[MOST_DEVICES];
};

void device_kernels_begin(struct device_kernels *kernels,
                          int (*switch_all)(struct device_kernels *kernels, bool on));

/* Have a device's kernels counted by a plan, and by none. The result of the library's switch, or 0. */
int device_kernels_start(struct device_kernels *kernels, struct kernel_plan *plan);
int device_kernels_stop(struct device_kernels *kernels, struct kernel_plan *plan);

/* For the library's threads and those of the program, in which a handler may read: hold signals, too. */
sigset_t device_kernels_lock(struct device_kernels *kernels);
void device_kernels_unlock(struct device_kernels *kernels, sigset_t before);

/* The plan that counts a kernel which is launched on a device, and a number by which it is known when it has
 * ended; NULL and 0: none does. Under the lock. */
struct kernel_plan *device_kernel_launched(struct device_kernels *kernels, int device, uint64_t *number);

/* Has the plan that a kernel is of take its numbers. Those that end after a stop are of none any more. */
void device_kernel_ended(struct device_kernels *kernels, uint64_t kernel, void *numbers, size_t n);

/* Waits for the kernels launched before, and gives the counts. PAPI_ECLOST: some have not ended in time,
 * which the call in the sentence waits for. */
int device_kernels_read(struct device_kernels *kernels, struct kernel_plan *plan, const char *waits,
                        uint64_t *count, struct reason *why);
