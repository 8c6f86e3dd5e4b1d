/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "mpi/mpi_now.h"

#include "record/record.h"

#include <stddef.h>

// clang-format off
/* The bytes of a call that has returned MPI_SUCCESS, added to the thread's record. They are counted where
 * they are put in: the sender of a message has its bytes, the receiver has not, and each rank of a collective
 * call has what it itself contributes:
 *   broadcast                  the root: count elements; nothing where it is alone
 *   gathered                   the send count; in place: its own part of what is received. root: whom it is
 *                              given to; by_all: to all
 *   scattered                  the root: what all ranks get
 *   exchanged                  what it has for all ranks, itself included
 *   reduced                    count elements; of intercommunicators the root's group nothing
 *   contributed_v, _blocks     the whole vector that is reduced and scattered
 *   neighbors_same             the send count, once, if there is a neighbor to have it
 *   neighbors                  what it has for all neighbors that there are
 * Beside these stands what a call brings to the rank: a message at the call that completes it, of as many bytes
 * as its status says; what MPI puts into the receive buffer by a collective call, the rank's own part included;
 * and what MPI_Get_accumulate, MPI_Fetch_and_op and MPI_Compare_and_swap bring back.
 * One-sided calls that write are messages to the target. Those that read have bytes (nobody else would count
 * them), and are not messages. File calls have the bytes that were asked for, those that pack and unpack what
 * they copy. */
// clang-format on

/* Fortran and the large-count calls have arrays of other integers. */
struct counts {
    const void *array;
    size_t width;
};

struct handles {
    const void *array;
    int fortran;
};

#define ACCOUNT struct thread_record *thread, enum call call

void account_sent(ACCOUNT, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm);
void account_prepared(ACCOUNT, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm,
                      MPI_Request request);
/* A partitioned send: each start is a message of all its partitions. */
void account_prepared_parts(ACCOUNT, int partitions, MPI_Count count, MPI_Datatype type, int dest,
                            MPI_Comm comm, MPI_Request request);
void account_started(ACCOUNT, MPI_Request request);
void account_started_all(ACCOUNT, int count, struct handles requests);
/* The status is of a receive, in C or Fortran; there may be no message behind it. */
void account_received(ACCOUNT, const void *status);

/* Notes the account of a persistent collective, after the call of one of the functions below with
 * mpi_thread.prepares. */
void account_collective_prepared(ACCOUNT, MPI_Request request);

void account_synchronized(ACCOUNT);
void account_broadcast(ACCOUNT, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
void account_gathered(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm);
void account_gathered_by_all(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype,
                             MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
void account_gathered_v(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype,
                        struct counts recvcounts, MPI_Datatype recvtype, int root, MPI_Comm comm);
void account_gathered_by_all_v(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype,
                               struct counts recvcounts, MPI_Datatype recvtype, MPI_Comm comm);
void account_scattered(ACCOUNT, MPI_Count sendcount, MPI_Datatype sendtype, int in_place, MPI_Count recvcount,
                       MPI_Datatype recvtype, int root, MPI_Comm comm);
void account_scattered_v(ACCOUNT, struct counts sendcounts, MPI_Datatype sendtype, int in_place,
                         MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
void account_exchanged(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm);
void account_exchanged_v(ACCOUNT, int in_place, struct counts sendcounts, MPI_Datatype sendtype,
                         struct counts recvcounts, MPI_Datatype recvtype, MPI_Comm comm);
void account_exchanged_w(ACCOUNT, int in_place, struct counts sendcounts, struct handles sendtypes,
                         struct counts recvcounts, struct handles recvtypes, MPI_Comm comm);
void account_reduced(ACCOUNT, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
void account_reduced_to_all(ACCOUNT, MPI_Count count, MPI_Datatype type);
void account_reduced_before(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Comm comm);
void account_contributed_v(ACCOUNT, struct counts counts, MPI_Datatype type, MPI_Comm comm);
void account_contributed_blocks(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Comm comm);
void account_neighbors_same(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Count recvcount,
                            MPI_Datatype recvtype, MPI_Comm comm);
void account_neighbors_same_v(ACCOUNT, MPI_Count count, MPI_Datatype type, struct counts recvcounts,
                              MPI_Datatype recvtype, MPI_Comm comm);
void account_neighbors(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Count recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm);
void account_neighbors_v(ACCOUNT, struct counts counts, MPI_Datatype type, struct counts recvcounts,
                         MPI_Datatype recvtype, MPI_Comm comm);
void account_neighbors_w(ACCOUNT, struct counts counts, struct handles types, struct counts recvcounts,
                         struct handles recvtypes, MPI_Comm comm);

void account_put(ACCOUNT, MPI_Count count, MPI_Datatype type, int target, MPI_Win win);
void account_fetched(ACCOUNT, MPI_Count count, MPI_Datatype type, int target);
void account_accumulated(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Count result_count,
                         MPI_Datatype result_type, MPI_Op op, int target, MPI_Win win);

void account_swapped(ACCOUNT, MPI_Datatype type, int target, MPI_Win win);

void account_moved(ACCOUNT, MPI_Count count, MPI_Datatype type);
