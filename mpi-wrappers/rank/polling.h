/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "rank/rank.h"

#include <stdint.h>

/* Waiting by testing. A program that has nothing to do until a message comes or a request is completed calls
 * MPI_Test, MPI_Iprobe or their like again and again. Between a test that fails and the next one, whichever
 * that is and whether it fails or not, a thread
 *   - waits, where the time between them is short: at most TESTS times the quickest failure of this call in
 *     this thread, or two microseconds. It is added to the MPI time, and to that of the call and the call
 * site that failed;
 *   - works, where it is longer: a program that computes looks seldom for what it does not wait for yet. Of a
 *     long time, the thread's processor time decides: without much of that, the thread slept between the
 *     tests or yielded its processor, and waits; if it went to sleep and also worked, its work is its
 *     processor time.
 * Where the next call is no test, what is between them is work. */
enum { TESTS = 16 };

/* The thread's state when it begins, with a record. */
void polling_begin(struct thread_record *thread);

/* A test is in the thread's record, and has found what it was to find, or not. */
void polling_tested(struct thread_record *thread, enum call call, int found);

/* The record of a thread that begins a call, where mpi_thread.quick is NULL: because the last call was a test
 * that failed, or because the thread has none yet. NULL: it gets none. */
struct thread_record *polling_thread(enum call call);
