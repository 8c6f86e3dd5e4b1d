/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "calls/carrier.h"
#include "calls/follow.h"

/* What follow.c, follow_requests.c and follow_collectives.c have in common. */

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
/* The same in two steps. */
struct followed_request *follow_make(enum request_kind kind, struct followed *comm);
void follow_insert(struct followed_request *request, uintptr_t key);
/* The program has it no more. */
void follow_remove(struct followed_request *request);
/* One that is not in the table, and that MPI may still write into. */
void follow_abandon(struct followed_request *request);

/* A collective call begins, before the program's own, on all its ranks: own is this rank's chain. No call in
 * it waits for another rank. */
void follow_launch(struct followed_request *made, const struct path *own);

/* A receive gets its place in the order of posting. */
void follow_post(struct followed_request *request);

/* A message has been received: of rank and tag as status says it, where they are not given. before: the
 * receive that it was; NULL: one that was posted after all that are there. Brings the sender's chain. */
void follow_received(struct followed *comm, int peer, int tag, const MPI_Status *status,
                     const struct followed_request *before, struct path *path);

/* Where the program wants no status for n, and one is needed. */
void follow_want_status(struct following *following, int n);
void follow_forget_status(struct following *following);

/* Whether a message has come: also one that is longer than the buffer. */
int follow_has_come(int code);
