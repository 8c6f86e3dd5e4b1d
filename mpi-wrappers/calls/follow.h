/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "calls/carrier.h"
#include "calls/tables.h"
#include "mpi/mpi_now.h"
#include "rank/rank.h"
#include <stdint.h>

/* Around the calls by which ranks depend on each other, where the critical path is followed
 * (calls/carrier.h): before such a call (into_) and after it (out_), both within the time of the call. Ranks,
 * tags and communicators are C's; what is const void * is the program's own array of handles, in C or in
 * Fortran, as following.binding says. code: what the call has returned. */

struct followed;
struct followed_request;

enum { FEW_REQUESTS = 8 };

/* Data of a call, kept from before it until after it. */
struct following {
    enum binding binding;
    void *
        status; /* where the program wants one, or several; replaced where it wants none, and one is needed */
    int n;
    const void *requests; /* the program's array */
    struct followed *comm;
    struct followed_request **request, *few[FEW_REQUESTS]; /* NULL: not one that is followed */
    MPI_Status *statuses, own[FEW_REQUESTS];
};

/* Returns by whom this call is followed: an outermost one. */
static inline int follow_is_on(uintptr_t frame)
{
    int on = atomic_load_explicit(&papi_mpi.following, memory_order_relaxed);
    return unlikely(on) && mpi_thread.outermost == frame ? on : 0;
}

/* Calls that send and receive, each with what is done before (into) and after it (out). */
void into_send(struct following *following, int dest, int tag, MPI_Comm comm);
void into_receive(struct following *following, int source, int tag, MPI_Comm comm);
void out_receive(struct following *following, int code, int source, int tag, MPI_Comm comm);
void out_receive_posted(struct following *following, int code, int source, int tag, MPI_Comm comm,
                        const void *request);
void out_receive_made(struct following *following, int code, int source, int tag, MPI_Comm comm,
                      const void *request);
void out_send_made(struct following *following, int code, int dest, int tag, MPI_Comm comm,
                   const void *request);
/* Partitioned calls: the chain of a send goes along when its last partition is ready. */
void out_parts_made(struct following *following, int code, int partitions, int dest, int tag, MPI_Comm comm,
                    const void *request);
void out_parts_expected(struct following *following, int code, int source, int tag, MPI_Comm comm,
                        const void *request);
void into_ready(struct following *following, int n, const void *request);
void into_ready_range(struct following *following, int low, int high, const void *request);
void into_start(struct following *following, int count, const void *requests);
void into_cancel(struct following *following, const void *request);
void into_free(struct following *following, const void *request);
/* A matching probe, and what becomes of the message that it found. flag: NULL where it is always found. */
void into_match(struct following *following, int source, int tag, MPI_Comm comm);
void out_match(struct following *following, int code, int source, int tag, MPI_Comm comm,
               const void *message);
void out_match_if(struct following *following, int code, int source, int tag, MPI_Comm comm, const int *flag,
                  const void *message);
void into_message(struct following *following, const void *message);
void out_message(struct following *following, int code);
void out_message_posted(struct following *following, int code, const void *request);

/* Calls that complete requests: MPI_Wait, MPI_Test and their like. */
void into_completion(struct following *following, int count, const void *requests);
void out_all(struct following *following, int code, const void *requests);
void out_all_if(struct following *following, int code, const int *flag, const void *requests);
void out_any(struct following *following, int code, const int *index);
void out_any_if(struct following *following, int code, const int *index, const int *flag);
void out_some(struct following *following, int code, const int *count, const int *indices);
void out_status(struct following *following, int code, const int *flag);

/* Collective calls: from all ranks to all, ... */
void into_all(struct following *following, MPI_Comm comm);
void into_from_root(struct following *following, int root, MPI_Comm comm);
void into_to_root(struct following *following, int root, MPI_Comm comm);
void into_scan(struct following *following, MPI_Comm comm);
void into_exscan(struct following *following, MPI_Comm comm);
void into_neighbors(struct following *following, MPI_Comm comm);
/* ... and those that go on until their request is completed. */
void into_later_all(struct following *following, MPI_Comm comm);
void into_later_from_root(struct following *following, int root, MPI_Comm comm);
void into_later_to_root(struct following *following, int root, MPI_Comm comm);
void into_later_scan(struct following *following, MPI_Comm comm);
void into_later_exscan(struct following *following, MPI_Comm comm);
void into_later_neighbors(struct following *following, MPI_Comm comm);
void out_later(struct following *following, int code, const void *request);
/* Persistent collective calls, which go on from each start until that is completed. */
void out_prepared_all(struct following *following, int code, MPI_Comm comm, const void *request);
void out_prepared_from_root(struct following *following, int code, int root, MPI_Comm comm,
                            const void *request);
void out_prepared_to_root(struct following *following, int code, int root, MPI_Comm comm,
                          const void *request);
void out_prepared_scan(struct following *following, int code, MPI_Comm comm, const void *request);
void out_prepared_exscan(struct following *following, int code, MPI_Comm comm, const void *request);
void out_prepared_neighbors(struct following *following, int code, MPI_Comm comm, const void *request);

/* Calls that make or free communicators. */
void out_made(struct following *following, int code, const void *comm);
/* Follows MPI_Comm_idup, of which its ranks learn at different times. */
void out_dupped(struct following *following, int code, MPI_Comm from, const void *comm);
void into_gone(struct following *following, const void *comm);

/* Shared by follow.c, follow_requests.c and follow_collectives.c. */

/* Handle i of an array of the program's. */
MPI_Request follow_request_at(const struct following *following, const void *requests, int i);

static inline uintptr_t follow_key(MPI_Request request)
{
    return (uintptr_t)request << 1;
}

static inline uintptr_t follow_key_of_message(MPI_Message message)
{
    return (uintptr_t)message << 1 | 1;
}

/* A request that the program has now. One of the same key is gone. NULL: no memory, and the path is lost. */
struct followed_request *follow_add(uintptr_t key, enum request_kind kind, struct followed *comm);
struct followed_request *follow_find(uintptr_t key);
/* follow_add in two steps: follow_make without the table, follow_insert under the key that is known later. */
struct followed_request *follow_make(enum request_kind kind, struct followed *comm);
void follow_insert(struct followed_request *request, uintptr_t key);
/* Takes a request from the table and frees it: the program can no longer complete it. */
void follow_remove(struct followed_request *request);
/* Abandons a request that is not in the table, and that MPI may still write into. */
void follow_abandon(struct followed_request *request);

/* Begins the collective call that takes chains along, before the program's own, on all its ranks: own is this
 * rank's chain. No call in it waits for another rank. */
void follow_launch(struct followed_request *made, const struct path *own);

/* Gives a receive its place in the order of posting. */
void follow_post(struct followed_request *request);

/* Brings the sender's chain of a message that was received: of rank and tag as status says it, where they are
 * not given. before: the receive that it was; NULL: one that was posted after all that are there. */
void follow_received(struct followed *comm, int peer, int tag, const MPI_Status *status,
                     const struct followed_request *before, struct path *path);

/* Provides a status for n requests where the program wants none, and one is needed. */
void follow_want_status(struct following *following, int n);
void follow_forget_status(struct following *following);

/* True if a message has come: also one that is longer than the buffer. */
int follow_has_come(int code);
