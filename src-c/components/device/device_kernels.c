/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/device_kernels.h"
#include "components/device/device_library.h"
#include "papi.h"

#include <string.h>
#include <time.h>

/* The time for which a reading waits for kernels that were launched before it. */
enum { WAIT_SECONDS = 2 };

void device_kernels_begin(struct device_kernels *kernels,
                          int (*switch_all)(struct device_kernels *kernels, bool on))
{
    kernels->switch_all = switch_all;
    pthread_condattr_t monotonic;
    pthread_mutex_init(&kernels->lock, NULL);
    pthread_mutex_init(&kernels->switching, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&kernels->ended, &monotonic);
}

/* ---- start and stop */

/* Has kernels on a device counted by a plan, or by none (NULL). */
static void show_plan(struct device_kernels *kernels, int device, struct kernel_plan *plan)
{
    pthread_mutex_lock(&kernels->lock);
    if (plan != NULL) {
        plan->serial = ++kernels->serial;
        plan->phase = 0;
        plan->launched[0] = plan->launched[1] = 0;
        plan->code = PAPI_OK;
        memset(plan->sum, 0, sizeof plan->sum);
    }
    kernels->counted[device] = plan;
    pthread_mutex_unlock(&kernels->lock);
}

/* Begins to count kernels. Those that end after a stop carry a serial number that is no one's any more. */
int device_kernels_start(struct device_kernels *kernels, struct kernel_plan *plan)
{
    int device = plan->ranges.event[0].unit;
    pthread_mutex_lock(&kernels->switching);
    show_plan(kernels, device, plan);
    int result = kernels->n_counted == 0 ? kernels->switch_all(kernels, true) : 0;
    if (result == 0)
        kernels->n_counted++;
    else
        show_plan(kernels, device, NULL);
    pthread_mutex_unlock(&kernels->switching);
    return result;
}

int device_kernels_stop(struct device_kernels *kernels, struct kernel_plan *plan)
{
    pthread_mutex_lock(&kernels->switching);
    show_plan(kernels, plan->ranges.event[0].unit, NULL);
    int result = --kernels->n_counted == 0 ? kernels->switch_all(kernels, false) : 0;
    pthread_mutex_unlock(&kernels->switching);
    return result;
}

/* ---- kernels */

sigset_t device_kernels_lock(struct device_kernels *kernels)
{
    sigset_t before = device_hold_signals();
    pthread_mutex_lock(&kernels->lock);
    return before;
}

void device_kernels_unlock(struct device_kernels *kernels, sigset_t before)
{
    pthread_mutex_unlock(&kernels->lock);
    device_release_signals(before);
}

struct kernel_plan *device_kernel_launched(struct device_kernels *kernels, int device, uint64_t *number)
{
    struct kernel_plan *plan = kernels->counted[device];
    *number = 0;
    if (plan == NULL)
        return NULL;
    plan->launched[plan->phase]++;
    *number = plan->serial << 1 | (uint64_t)plan->phase;
    return plan;
}

/* Takes the numbers of a kernel. What has no sum is that of the last one. */
static void take(struct kernel_plan *plan, void *numbers, size_t n)
{
    double sum[MAX_COUNTERS];
    int code = device_ranges_sum(&plan->ranges, numbers, n, sum, NULL);
    plan->code = plan->code ?: code;
    for (int i = 0; i < plan->ranges.n && code == PAPI_OK; i++)
        plan->sum[i] = sum[i] + (plan->ranges.event[i].metric->value != DEVICE_SUM ? 0 : plan->sum[i]);
}

void device_kernel_ended(struct device_kernels *kernels, uint64_t kernel, void *numbers, size_t n)
{
    sigset_t before = device_kernels_lock(kernels);
    for (int i = 0; i < MOST_DEVICES; i++) {
        struct kernel_plan *plan = kernels->counted[i];
        if (plan == NULL || plan->serial != kernel >> 1 || plan->launched[kernel & 1] == 0)
            continue;
        take(plan, numbers, n);
        plan->launched[kernel & 1]--;
        pthread_cond_broadcast(&kernels->ended);
        break;
    }
    device_kernels_unlock(kernels, before);
}

/* Waits under the lock. A phase that still waits for some is not begun again. */
static long wait_for_kernels(struct device_kernels *kernels, struct kernel_plan *plan)
{
    struct timespec until;
    bool turns = plan->launched[!plan->phase] == 0;
    int earlier = plan->phase;
    if (turns)
        plan->phase = !plan->phase;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += WAIT_SECONDS;
    int error = 0;
    long left;
    while ((left = plan->launched[earlier] + (turns ? 0 : plan->launched[!earlier])) > 0 && error == 0)
        error = pthread_cond_timedwait(&kernels->ended, &kernels->lock, &until);
    return left;
}

int device_kernels_read(struct device_kernels *kernels, struct kernel_plan *plan, const char *waits,
                        uint64_t *count, struct reason *why)
{
    pthread_mutex_lock(&kernels->lock);
    long left = wait_for_kernels(kernels, plan);
    int code = plan->code;
    device_ranges_round(plan->sum, plan->ranges.n, count);
    pthread_mutex_unlock(&kernels->lock);
    if (code != PAPI_OK)
        return reason_set(why, code, "%s gave a kernel's counts with no value of an event",
                          plan->ranges.units->maker->library);
    return left == 0
               ? PAPI_OK
               : reason_set(why, PAPI_ECLOST,
                            "%ld kernels that were launched have not ended: their counts are missing; call "
                            "%s first",
                            left, waits);
}
