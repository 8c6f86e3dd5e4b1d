/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"

#include <stdbool.h>

/* A process beside this one that follows threads by ptrace: the kernel holds each new thread before its first
 * instruction, until tracer_next is called again. Only a process can do that to the threads of others without
 * taking part in this program's own wait calls; it shares this one's memory and descriptors, and ends with
 * the thread that has made it. */
struct tracer;

enum tracer_kind { TRACER_NOTHING, TRACER_BORN, TRACER_ENDED, TRACER_BECAME, TRACER_OVER };

struct tracer_event {
    enum tracer_kind kind;
    int tid;
    int former; /* TRACER_BECAME, by exec: the number that the thread had, the same one mostly */
};

/* Makes a tracer, which belongs to the calling thread. NULL with why: PAPI_ENOMEM, PAPI_ESYS. */
struct tracer *tracer_make(struct reason *why);

/* Follows a thread, and from then on what it starts. PAPI_EINVAL: it has ended; PAPI_EPERM. */
int tracer_seize(struct tracer *tracer, int tid, struct reason *why);

/* Lets the thread of the last event go on, and waits for the next event, so many milliseconds at most:
 * TRACER_NOTHING where none came. TRACER_OVER: there is nothing left to follow, or the tracer has ended. */
struct tracer_event tracer_next(struct tracer *tracer, int milliseconds);

/* Its number as a process. */
int tracer_number(const struct tracer *tracer);

/* True as long as it has not been ended by somebody else. */
bool tracer_lives(const struct tracer *tracer);

/* Lets all threads go, and ends it. */
void tracer_end(struct tracer *tracer);
