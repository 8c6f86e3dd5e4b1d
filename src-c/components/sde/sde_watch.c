/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/sde/sde_watch.h"
#include "papi.h"

#include <sys/syscall.h>
#include <unistd.h>

/* The period last: what it is measured by must be there. */
int sde_watch_begin(struct sde_counter *counter, uint64_t period, struct reason *why)
{
    struct sde_watch *watch = &counter->watch;
    int nobody = 0;
    if (!atomic_compare_exchange_strong(&watch->thread, &nobody, (int)syscall(SYS_gettid)))
        return reason_set(why, PAPI_ECNFLCT,
                          "another event set is told of the overflows of %s: stop it first, or use "
                          "PAPI_OVERFLOW_FORCE_SW",
                          counter->name);
    atomic_store(&watch->signal, OVERFLOW_SIGNAL);
    atomic_store(&watch->waiting, 0);
    atomic_store(&watch->next, __atomic_load_n(&counter->value, __ATOMIC_RELAXED) + (long long)period);
    atomic_store(&watch->period, (long long)period);
    return PAPI_OK;
}

void sde_watch_pause(struct sde_counter *counter)
{
    atomic_store(&counter->watch.period, 0);
}

unsigned sde_watch_end(struct sde_counter *counter)
{
    sde_watch_pause(counter);
    unsigned left = atomic_exchange(&counter->watch.waiting, 0);
    atomic_store(&counter->watch.thread, 0);
    return left;
}

bool sde_watch_take(struct sde_counter *counter, uint64_t *address)
{
    unsigned waiting = atomic_load(&counter->watch.waiting);
    while (waiting != 0 && !atomic_compare_exchange_weak(&counter->watch.waiting, &waiting, waiting - 1))
        ;
    *address = atomic_load(&counter->watch.caller);
    return waiting != 0;
}
