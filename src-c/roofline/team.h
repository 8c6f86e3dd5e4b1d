/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cpus.h"
#include "peak.h"
#include "stream.h"

#include <stddef.h>

/* Threads that are bound to one core each, and do the same work at the same time on memory of their own. */
struct team;

/* What each of them does: rounds of a kernel (peak, or else the clock), or passes of a loop. */
struct team_work {
    const struct peak_kernel *peak;
    stream_function *stream; /* NULL: registers alone */
    int arrays;              /* of the loop */
    long elements;           /* of each */
    long amount;             /* of rounds or passes */
};

/* Memory for arrays of so many bytes together. */
size_t team_room(size_t bytes);

/* On the first n cores, each with so much memory, which its thread touches first. NULL, with errno. */
struct team *team_make(const struct cpus *cpus, int n, size_t room);
void team_end(struct team *team);

/* Seconds from the first that begins to the last that ends. *alone: each of them had its core all the time.
 */
double team_run(struct team *team, const struct team_work *work, bool *alone);

/* Whether each thread could be bound. */
bool team_is_bound(const struct team *team);
