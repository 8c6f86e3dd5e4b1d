/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/lock.h"
#include "base/syscall.h"

#include <linux/futex.h>

static int try_to_take(struct lock *lock)
{
    pthread_t nobody = 0;
    return atomic_compare_exchange_strong(&lock->holder, &nobody, pthread_self());
}

/* Waits for the lock. The waiter announces itself before it tries again, so the holder either sees that, or
 * has gone already. */
static __attribute__((noinline)) void wait_for(struct lock *lock)
{
    atomic_fetch_add(&lock->waiting, 1);
    for (;;) {
        int turn = atomic_load(&lock->turns);
        if (try_to_take(lock))
            break;
        syscall(SYS_futex, &lock->turns, FUTEX_WAIT_PRIVATE, turn, NULL);
    }
    atomic_fetch_sub(&lock->waiting, 1);
}

void lock_take(struct lock *lock)
{
    int saved = errno;
    if (!try_to_take(lock))
        wait_for(lock);
    errno = saved;
}

void lock_give(struct lock *lock)
{
    atomic_store(&lock->holder, 0);
    if (atomic_load(&lock->waiting) > 0) {
        atomic_fetch_add(&lock->turns, 1);
        system_call(SYS_futex, (long)&lock->turns, FUTEX_WAKE_PRIVATE, 1);
    }
}

int lock_mine(const struct lock *lock)
{
    return pthread_equal(atomic_load(&lock->holder), pthread_self());
}

void lock_after_fork(struct lock *lock)
{
    if (!lock_mine(lock))
        atomic_store(&lock->holder, 0);
}
