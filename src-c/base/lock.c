/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A lock on a futex, that signal handlers may use.
 *
 * holder is both the lock and the name of who has it, so that taking it and being known as its holder are one
 * instruction: a handler that asks lock_mine never finds the lock taken by its own thread without being told
 * so, and a child of a fork can free a lock whose holder it does not have. A pthread mutex offers neither.
 *
 * A thread that must wait counts itself in waiting, notes turns, tries once more, and sleeps as long as turns
 * is what it noted. The holder frees the lock first and looks at waiting then; if anybody is there, it moves
 * turns on and wakes one. With the order of sequentially consistent atomics no wake-up is lost: either the
 * waiter's last try comes after the release and succeeds, or its announcement comes before the holder's look,
 * and then turns has moved and the kernel does not let it sleep. Without contention no system call is made.
 */
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
