/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "calls/account.h"
#include "calls/tables.h"
#include "mpi/mpi_now.h"
#include "rank/rank.h"

#include <stdint.h>

/* Messages and requests of the calls in the ring of the last ones (record/call_ring.h): before such a call
 * (keep_) and after it (note_, kept_). Ranks, tags, communicators and requests are C's, as the program gave
 * them; what is const void * is the program's own array of handles, in C or in Fortran, as keeping.binding
 * says. code: what the call has returned. */

enum { KEPT_REQUESTS = 8 };

/* Data of a call, kept from before it until after it. */
struct keeping {
    enum binding binding;
    void *
        status; /* where the program wants one, or several; replaced where it wants none, and one is needed */
    int n;
    const void *requests;                   /* the program's array */
    uint64_t *key, few_keys[KEPT_REQUESTS]; /* what was in it */
    MPI_Status *statuses, few[KEPT_REQUESTS];
};

void note_send(int code, int dest, int tag, MPI_Comm comm);
/* A receive of which the message comes later. */
void note_posted(int code, int source, int tag, MPI_Comm comm);
/* The request that the call made for its messages. */
void note_made(int code, MPI_Request request);
/* Persistent requests. */
void note_send_made(int code, int dest, int tag, MPI_Comm comm, MPI_Request request);
void note_receive_made(int code, int source, int tag, MPI_Comm comm, MPI_Request request);
void note_started(int code, MPI_Request request);
void note_started_all(int code, int count, struct handles requests);
/* Calls after which the order of messages is not known. */
void note_disorder(int code);

void keep_receive(struct keeping *keeping, int source, int tag);
void kept_receive(struct keeping *keeping, int code, int source, int tag, MPI_Comm comm);
void keep_cancel(struct keeping *keeping, const void *request);
void keep_freed(struct keeping *keeping, const void *request);

/* Calls that complete requests: MPI_Wait, MPI_Test and their like. */
void keep_completion(struct keeping *keeping, int count, const void *requests);
void kept_all(struct keeping *keeping, int code);
void kept_all_if(struct keeping *keeping, int code, const int *flag);
void kept_any(struct keeping *keeping, int code, const int *index);
void kept_any_if(struct keeping *keeping, int code, const int *index, const int *flag);
void kept_some(struct keeping *keeping, int code, const int *count, const int *indices);
