/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/watch_thread.h"
#include "base/signals.h"
#include "base/syscall.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>

/* Waits for the interval; false: the watch has ended. By a clock of the kernel's own, since the time of day
 * may be set. */
static bool waited(struct watch *watch)
{
    const struct timespec time = {(time_t)(watch->msec / 1000), (long)(watch->msec % 1000) * 1000000};
    long code;
    do {
        code = syscall(SYS_futex, &watch->end, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0) == 0 ? 0 : errno;
    } while (code != ETIMEDOUT && __atomic_load_n(&watch->end, __ATOMIC_ACQUIRE) == 0);
    return __atomic_load_n(&watch->end, __ATOMIC_ACQUIRE) == 0;
}

static void *run(void *context)
{
    struct watch *watch = context;
    while (waited(watch))
        watch->look(watch->context);
    return NULL;
}

static bool start_thread(struct watch *watch)
{
    enum { STACK = 256 * 1024 };
    pthread_attr_t attributes;
    sigset_t before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, STACK); /* else the usual one */
    signals_block(&before);
    bool started = pthread_create(&watch->thread, &attributes, run, watch) == 0;
    signals_restore(&before);
    pthread_attr_destroy(&attributes);
    return started;
}

bool watch_begin(struct watch *watch, uint64_t msec, void (*look)(void *context), void *context)
{
    *watch = (struct watch){.msec = msec, .look = look, .context = context};
    watch->runs = start_thread(watch);
    return watch->runs;
}

void watch_end(struct watch *watch)
{
    if (!watch->runs)
        return;
    __atomic_store_n(&watch->end, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &watch->end, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(watch->thread, NULL);
    watch->runs = false;
}

void watch_abandon(struct watch *watch)
{
    watch->runs = false;
}
