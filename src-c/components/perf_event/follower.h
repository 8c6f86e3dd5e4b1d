/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"

#include <signal.h>
#include <stdbool.h>

/* A thread of this process that follows those of another one, by a tracer (tracer.h), and tells its users of
 * each, while the thread is held. Users of one process share one, since it can be followed but once. */
struct follower;

/* Functions that are called with the lock, in the follower or in follower_join. */
struct follower_user {
    struct follower_user *next;
    void (*born)(struct follower_user *user, int tid);                  /* it is there, or begins */
    void (*ended)(struct follower_user *user, int tid);                 /* its counters can still be read */
    void (*became)(struct follower_user *user, int former, int tid);    /* its number, by exec */
    void (*executed)(struct follower_user *user, int tid);              /* another program, from now on */
    void (*lost)(struct follower_user *user, const struct reason *why); /* nothing more is told */
};

/* Follows a process, of a tree also those that it has started, and tells the user of all threads that there
 * are. NULL with why, and no user: PAPI_EINVAL, PAPI_EPERM, PAPI_ECNFLCT, PAPI_ENOMEM, PAPI_ESYS. */
struct follower *follower_join(int pid, bool tree, struct follower_user *user, struct reason *why);

/* Takes a user out. The follower ends with its last one, and lets all threads go. */
void follower_leave(struct follower *follower, struct follower_user *user);

/* True as long as the process has not ended. */
bool follower_runs(const struct follower *follower);

/* Take and release the lock, with the signals blocked: a handler must not wait for what it has interrupted.
 */
void follower_lock(struct follower *follower, sigset_t *before);
void follower_unlock(struct follower *follower, const sigset_t *before);
