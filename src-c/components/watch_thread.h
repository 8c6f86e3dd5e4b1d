/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* A thread that looks at something from time to time, for what would be missed if the program did not for too
 * long. Not a timer's signal: it would end the program's sleeps. The thread takes none of the process's
 * signals. */
struct watch {
    bool runs;
    int end; /* 1: it is to end; the kernel waits on it */
    pthread_t thread;
    uint64_t msec;
    void (*look)(void *context);
    void *context;
};

/* Has look called every msec from now on. false: there is no room for a thread, and nobody looks. */
bool watch_begin(struct watch *watch, uint64_t msec, void (*look)(void *context), void *context);

/* Ends the watch, in any state: look is not called any more afterwards. */
void watch_end(struct watch *watch);

/* Forgets the thread in the child of a fork, which has none. Async-signal-safe. */
void watch_abandon(struct watch *watch);
