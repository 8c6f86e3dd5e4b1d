/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "calls/account.h"
#include "calls/notes.h"
#include "mpi/mpi_now.h"
#include "rank/counters.h"
#include "rank/polling.h"
#include "rank/rank.h"
#include "rank/regions.h"
#include "rank/sites.h"

#include <stdarg.h>
#include <stdint.h>

/* Parts of the generated wrappers. A wrapper has the address of the next function of its name from call_next
 * (NULL: there is none), and calls it between call_begin and call_end. Calls inside of calls - MPI's Fortran
 * functions call its C functions - are passed on and not counted. */

#define SHOWN __attribute__((visibility("default")))
#define SAME_AS(name) extern __attribute__((visibility("default"), alias(name)))
#define NO_REQUEST MPI_REQUEST_NULL

/* Inlines call_begin and its like, so that the arguments of the call stay in their registers. Fortran's forms
 * are too many for that. */
#ifndef CALL_INLINE
#define CALL_INLINE inline __attribute__((always_inline))
#endif

void *call_find(enum call call, enum call_form form);

static inline void *call_next(enum call call, enum call_form form)
{
    void *next = atomic_load_explicit(&papi_mpi.next[call][form], memory_order_relaxed);
    return likely(next != NULL) ? next : call_find(call, form);
}

/* True if counters are read around a call: only by the main thread, and only where that is cheap. */
static inline int call_counts_inside(const struct thread_record *thread)
{
    if (likely(!papi_mpi.counts_around))
        return 0;
    /* NULL in a thread that MPI_Finalize did not wait for. */
    const struct rank_record *record = papi_mpi.record;
    return record && record->counters_around && record_is_main(record, thread);
}

/* The frame of the wrapper itself: a call is inside of another where its frame is below that one's. A call
 * that was left by longjmp or an exception, out of an error handler, is forgotten at the next call from there
 * or above. */
#define CALL_FRAME ((uintptr_t)__builtin_frame_address(0))

/* The address in the program that it returns to. */
#define CALL_SITE ((uintptr_t)__builtin_return_address(0))

/* ---- arguments that a reader of the record is told of a call that does not end */

/* The part of the arguments that wrappers note: as numbers. */
struct call_facts {
    uint64_t comm;
    int peer, tag, second_peer, second_tag;
};

/* Handles as numbers: MPICH's are integers, Open MPI's addresses. */
#define FACT_HANDLE(handle)                                                                                  \
    (sizeof(handle) == sizeof(uint32_t) ? (uint64_t)(uint32_t)(uintptr_t)(handle)                            \
                                        : (uint64_t)(uintptr_t)(handle))
#define FACT_FORTRAN(handle) ((uint64_t)(uint32_t)(*(const MPI_Fint *)(handle)) | HANDLE_OF_FORTRAN)

/* Notes the requests that a call waits for, before it. array: NULL is none. */
static inline void call_waits(struct thread_record *thread, int count, const void *array, size_t width,
                              uint64_t mark)
{
    int n = array && count > 0 ? count : 0;
    thread->at.n_requests = n;
    for (int i = 0; i < n && i < OPEN_REQUESTS; i++)
        thread->at.request[i] =
            (width == sizeof(uint32_t) ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i]) | mark;
}

/* Notes a request that a call has made, with the call's arguments. */
static inline void call_requested(struct thread_record *thread, enum call call, uint64_t request)
{
    const struct open_call *at = &thread->at;
    struct noted_request *noted =
        &thread->noted[(uint64_t)(request * 0x9e3779b97f4a7c15u) >> 32 & (NOTED_REQUESTS - 1)];
    *noted = (struct noted_request){request,  at->comm, thread->since,  (int32_t)call,
                                    at->peer, at->tag,  at->second_peer};
}

/* Notes who is in a communicator that a call has made. */
void call_made_comm(enum call call, MPI_Comm comm, MPI_Comm parent);
/* The same of a call that has begun to make one. */
void call_makes_comm(enum call call, MPI_Comm comm, MPI_Comm parent);
#define NO_PARENT ((MPI_Comm)0) /* of a call that has no communicator */

/* The same of those that are there from the beginning, and the numbers that MPI gives a meaning. */
void call_begin_comms(void);

/* Begins a call. Returns the thread's record if the call is counted; NULL if it is inside of another one, or
 * nothing is counted. */
static CALL_INLINE struct thread_record *call_begin(enum call call, uintptr_t frame, uintptr_t address,
                                                    unsigned has, struct call_facts facts)
{
    struct thread_record *thread = has & FACT_TEST ? mpi_thread.tests : mpi_thread.quick;
    if (mpi_thread.outermost > frame)
        return NULL;
    mpi_thread.outermost = frame;
    if (!atomic_load_explicit(&papi_mpi.counting, memory_order_relaxed))
        return NULL;
    if (unlikely(!thread) && !(thread = polling_thread(has & FACT_TEST)))
        return NULL;
    if (call_counts_inside(thread))
        counters_enter(papi_mpi.counters);
    thread->at.address = address;
    if (has & (FACT_COMM | FACT_WIN))
        thread->at.comm = facts.comm;
    if (has & FACT_PEERS)
        thread->at.peer = facts.peer;
    if (has & FACT_TAG)
        thread->at.tag = facts.tag;
    if (has & FACT_SECOND) {
        thread->at.second_peer = facts.second_peer;
        thread->at.second_tag = facts.second_tag;
    }
    uint64_t now = clock_ticks();
    if (has & FACT_TEST)
        mpi_thread.polling.gap = now - thread->since;
    thread->since = now;
    atomic_signal_fence(memory_order_release); /* who sees the call sees its arguments */
    thread->inside = (int32_t)call;
    return thread;
}

/* Notes a call in the ring of the last calls, with its site. */
void note_call(enum call call, uint64_t since, uint64_t now);

/* Returns how long the call took. tests: it is one for which polling_note is called next. */
static CALL_INLINE uint64_t end_call(struct thread_record *thread, enum call call, uintptr_t address,
                                     int tests)
{
    struct call_totals *totals;
    uint64_t ticks, now, between;
    if (!thread)
        return 0;
    now = clock_ticks();
    ticks = now - thread->since;
    between = tests ? polling_between(thread, call, ticks) : 0;
    totals = &thread->call[call];
    totals->calls++;
    totals->ticks += ticks + between;
    if (ticks > totals->longest)
        totals->longest = ticks;
    thread->calls++;
    thread->mpi_ticks += ticks + between;
    thread->inside = record_outside((int32_t)call);
    if (unlikely(now >= papi_mpi.end_next))
        rank_call_ended(thread, call, thread->since, now);
    thread->since = now; /* the last that is known of a rank that is killed */
    mpi_thread.site = site_count(thread, call, address, mpi_thread.outermost, ticks);
    if (tests)
        mpi_thread.site->ticks += between;
    if (unlikely(papi_mpi.ring != NULL))
        note_call(call, now - ticks, now);
    if (call_counts_inside(thread))
        counters_leave(papi_mpi.counters, papi_mpi.record);
    return ticks;
}

static CALL_INLINE uint64_t call_end(struct thread_record *thread, enum call call, uintptr_t address)
{
    return end_call(thread, call, address, 0);
}

static CALL_INLINE uint64_t test_end(struct thread_record *thread, enum call call, uintptr_t address)
{
    return end_call(thread, call, address, 1);
}

/* True for a communicator of all ranks that is not the job's own. */
int call_meets_in(MPI_Comm comm);

/* Notes a call of which nobody returns before all ranks of the communicator have come to it. */
static CALL_INLINE void call_met(struct thread_record *thread, enum call call, uint64_t took, MPI_Comm comm)
{
    if (thread != papi_mpi.meets)
        return;
    if (likely((uintptr_t)comm == papi_mpi.meets_in) || call_meets_in(comm))
        meetings_note(&papi_mpi.record->meetings, call, took);
}

/* Measures, once before the program's first call, how long both take together, and puts that into the
 * record. */
void call_measure(void);

static inline int call_is_outermost(uintptr_t frame)
{
    return mpi_thread.outermost == frame;
}

static inline void call_leave(uintptr_t frame)
{
    if (call_is_outermost(frame))
        mpi_thread.outermost = 0;
}

/* Work around some calls, whether they are counted or not; for MPI_Init and MPI_Finalize see
 * entry/lifecycle.h. */

void before_abort(void);

/* Stands in for a program's own reduction, so that its work is not taken for MPI's: calls/operations.c. The
 * same function where there is no room for another one. */
void (*operation_instead_of(void (*function)(void)))(void);

/* MPI gets that one: a wrapper's argument is changed. */
#define before_operation(function)                                                                           \
    ((function) = (__typeof__(function))operation_instead_of((void (*)(void))(function)))

void before_pcontrol(int level, struct possible_name name);

/* The argument after the last one that has a name, or what is there where nothing comes: MPI_Pcontrol(1) and
 * MPI_Pcontrol(1, "name") are the same call to the one that is called. */
#define POSSIBLY_AFTER(last)                                                                                 \
    __extension__({                                                                                          \
        va_list rest;                                                                                        \
        va_start(rest, last);                                                                                \
        const char *next_one = va_arg(rest, const char *);                                                   \
        va_end(rest);                                                                                        \
        next_one;                                                                                            \
    })

/* A communicator or a window goes; its handle may come again as another one's. */
void before_handles_change(void);
/* It is freed, or the program has named it: comms.c. */
void before_comm_gone(MPI_Comm comm);
void after_named(MPI_Comm comm, struct possible_name name);
void before_request_freed(MPI_Request request); /* arrivals.c */

/* True if the MPI that is loaded is the one that this library was built for. Handles differ: passing a call
 * on to the other one cannot work. */
int flavour_fits(void);
extern const char *const flavour_name; /* "MPICH", "Open MPI" */
