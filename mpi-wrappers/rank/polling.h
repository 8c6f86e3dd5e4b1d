/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "rank/rank.h"

#include <stdint.h>

/* Waiting by testing. A program that has nothing to do until a message comes or a request is completed calls
 * MPI_Test, MPI_Iprobe or their like again and again. Between a test that fails and the next one, whichever
 * that is and whether it fails or not, a thread
 *   - waits, where the time between them is short: at most TESTS times the quickest failure of the next
 *     test's call in this thread, or two microseconds. It is added to the MPI time, and to that of the next
 *     test's call and call site;
 *   - works, where it is longer: a program that computes looks seldom for what it does not wait for yet. Of a
 *     long time, the thread's processor time decides: without much of that, the thread slept between the
 *     tests, and waits, or its processor was taken away (rank/taken.h); if it went to sleep and also worked,
 *     its work is its processor time.
 * Where the next call is no test, what is between them is work. */
enum { TESTS = 16 };

#define POLLING_COUNTED UINT64_MAX

/* The thread's state when it begins, with a record. */
void polling_begin(struct thread_record *thread);

/* Takes the wrapper's part out of ticks between two tests and notes it, so that it is in no other time. */
static inline uint64_t polling_without_own(struct thread_record *thread, uint64_t ticks)
{
    uint64_t own = ticks < papi_mpi.test_cost ? ticks : papi_mpi.test_cost;
    thread->own_ticks += papi_mpi.test_inside + (int64_t)own;
    return ticks - own;
}

/* The time between the last call and a test that took so long and is not in the thread's record yet, as far
 * as it is quickly seen to be waiting: then it is as short as the test, which fails or not. */
static inline __attribute__((always_inline)) uint64_t polling_between(struct thread_record *thread,
                                                                      enum call call, uint64_t took)
{
    struct polling *polling = &mpi_thread.polling;
    uint64_t gap = polling->gap;
    int i = (int)call % KNOWN_TESTS;
    if (unlikely(!polling->neighbours || polling->known[i].call != (int32_t)call ||
                 gap > polling->known[i].most || took - polling->known[i].least > polling->known[i].most))
        return 0;
    polling->gap = POLLING_COUNTED;
    gap = polling_without_own(thread, gap);
    thread->tested_ticks += gap;
    return gap;
}

/* The other tests, those that find something among them. */
void polling_tested(struct thread_record *thread, enum call call, uint64_t took, int found);

/* A test is in the thread's record, and has found what it was to find, or not. */
static inline void polling_note(struct thread_record *thread, enum call call, uint64_t took, int found)
{
    if (found ? mpi_thread.polling.failed >= 0 : mpi_thread.polling.gap != POLLING_COUNTED)
        polling_tested(thread, call, took, found);
}

/* The record of a thread that begins a call, where mpi_thread has none for it: because the last call was a
 * test that failed and this is none, because its time between calls is measured (rank/between.h), or because
 * the thread has none yet. tests: it is a test. NULL: it gets none. */
struct thread_record *polling_thread(int tests);
