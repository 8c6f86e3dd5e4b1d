/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <signal.h>

/* A write beyond ulimit -f, or to a pipe that nobody reads, would end the program: between hold and release
 * it is an error like others, in the calling thread. */
struct held_signals {
    sigset_t held, before, pending;
};

void signals_hold(struct held_signals *signals);
void signals_release(const struct held_signals *signals);
