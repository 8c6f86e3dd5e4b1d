/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/lock.h"

/* PAPI_lock: for the process, with or without a library. A thread may take a lock that it has, also in
 * a signal handler that interrupts any of these functions. */
struct user_lock {
    struct lock lock;
    _Atomic int again; /* how often its holder took it beside the first time; 0 whenever it is free */
};

void user_lock_take(int which);

/* 0, or -1: the calling thread has not got it. */
int user_lock_give(int which);

/* The calling thread ends. */
void user_locks_give_back(void);

void user_locks_after_fork(void);
