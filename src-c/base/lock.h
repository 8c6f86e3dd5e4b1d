/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

/* A lock of our own because to take it and to be known as its holder must be one step: a signal
 * handler may fork, or take it, in between. All zero: free. Async-signal-safe, no cancellation point. */
struct lock {
    _Atomic pthread_t holder;   /* the thread that has it, or 0 */
    _Atomic int waiting, turns; /* threads that wait for it, and what they wait on */
};

void lock_take(struct lock *lock);
void lock_give(struct lock *lock);

/* True if the calling thread has it. */
int lock_mine(const struct lock *lock);

/* Frees the lock in the child of a fork where a thread had it that the child has not. */
void lock_after_fork(struct lock *lock);
