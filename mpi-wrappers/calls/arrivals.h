/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "calls/account.h"
#include "calls/tables.h"
#include "mpi/mpi_now.h"
#include "rank/rank.h"

#include <stdint.h>

/* Received messages, where they are counted by call (FOLLOW_RECEIVED): a status says how long one was, so
 * where the program wants none, the wrapper passes its own. The requests that receive are known by their
 * handles (calls/tables.h), also while nothing is counted; a call that completes some notes them before,
 * because MPI takes their handles away. */

enum { FEW_ARRIVALS = 8 };

/* Data of a call that completes requests, kept from before it until after it. */
struct arrivals {
    int n; /* 0: there is nothing to do */
    enum binding binding;
    const void *requests;                  /* the program's array */
    int looked;                            /* requests are looked up ... */
    uintptr_t *request, few[FEW_ARRIVALS]; /* ... and here are their entries, 0: it receives nothing;
                                              otherwise their handles */
    MPI_Status own[FEW_ARRIVALS];
    void *more; /* memory for more of them */
};

/* Begins a call that may complete requests, of which it returns the status to be passed on: the program's, or
 * an own one. */
void *arrivals_look(struct arrivals *arrivals, enum binding binding, int count, const void *requests,
                    void *status);

static inline void *arrivals_begin(struct arrivals *arrivals, enum binding binding, int count,
                                   const void *requests, void *status)
{
    const struct call_tables *tables = papi_mpi.tables;
    arrivals->n = 0;
    if (!tables || !atomic_load_explicit(&tables->receives, memory_order_relaxed))
        return status;
    return arrivals_look(arrivals, binding, count, requests, status);
}

/* Counts what has come, after the call. thread: NULL: nothing is counted, but requests are done. Flags,
 * counts and indices are the program's. */
void arrivals_all(struct thread_record *thread, enum call call, struct arrivals *arrivals, int code,
                  const void *status);
void arrivals_all_if(struct thread_record *thread, enum call call, struct arrivals *arrivals, int code,
                     const void *status, const int *flag);
void arrivals_any(struct thread_record *thread, enum call call, struct arrivals *arrivals, int code,
                  const void *status, const int *index);
void arrivals_any_if(struct thread_record *thread, enum call call, struct arrivals *arrivals, int code,
                     const void *status, const int *index, const int *flag);
void arrivals_some(struct thread_record *thread, enum call call, struct arrivals *arrivals, int code,
                   const void *status, const int *count, const int *indices);

/* After calls that post or start such a request, whether they are counted or not. */
void take_posted(int source, MPI_Request request);
void take_started(MPI_Request request);
void take_started_all(int count, struct handles requests);
/* The same of a persistent one that is made, also where nothing is counted by call: its starts send nothing.
 */
void after_receive_made(int source, MPI_Request request);
