/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/user_lock.h"
#include "core/library.h"

void user_lock_take(int which)
{
    struct user_lock *lock = &papi_library.user_lock[which];
    if (lock_mine(&lock->lock))
        lock->again++;
    else
        lock_take(&lock->lock);
}

int user_lock_give(int which)
{
    struct user_lock *lock = &papi_library.user_lock[which];
    if (!lock_mine(&lock->lock))
        return -1;
    if (lock->again > 0)
        lock->again--;
    else
        lock_give(&lock->lock);
    return 0;
}

void user_locks_give_back(void)
{
    for (int i = 0; i < PAPI_LOCK_NUM; i++)
        while (user_lock_give(i) == 0)
            ;
}

void user_locks_after_fork(void)
{
    for (int i = 0; i < PAPI_LOCK_NUM; i++) {
        struct user_lock *lock = &papi_library.user_lock[i];
        if (!lock_mine(&lock->lock))
            lock->again = 0;
        lock_after_fork(&lock->lock);
    }
}
