/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_WRAPPER_H
#define PAPI_MPI_WRAPPER_H

#include "calls/mpi_now.h"

#include "calls/account.h"
#include "calls/hooks.h"
#include "rank/rank.h"

/* What the generated wrappers are made of. A wrapper has the address of the next function of its name from
 * call_next (NULL: there is none), and calls it between call_begin and call_end. Calls inside of calls -
 * MPI's Fortran functions call its C functions - are passed on and not counted. */

#define SHOWN __attribute__((visibility("default")))
#define SAME_AS(name) extern __attribute__((visibility("default"), alias(name)))
#define NO_REQUEST MPI_REQUEST_NULL

void *call_find(enum call call, enum call_form form);

static inline void *call_next(enum call call, enum call_form form)
{
    void *next = atomic_load_explicit(&papi_mpi.next[call][form], memory_order_relaxed);

    return __builtin_expect(next != NULL, 1) ? next : call_find(call, form);
}

/* The thread's record where this call is counted, otherwise NULL. */
struct thread_record *call_begin(enum call call);
void call_end(struct thread_record *thread, enum call call);

/* Once, before the program's first call: how long both take together, into the record. */
void call_measure(void);

static inline int call_is_outermost(void)
{
    return mpi_thread.depth == 1;
}

static inline void call_leave(void)
{
    mpi_thread.depth--;
}

#endif
