/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "mpi/mpi_now.h"

#include "rank/rank.h"

#include <stdint.h>

/* The transport of the critical path (record/record.h) from rank to rank. A collective call is
 * preceded by one of the same kind on the same communicator, from the same ranks to the same ranks, that
 * takes the longest of their chains along; so no rank waits for another that it did not wait for anyhow. A
 * message is preceded by a parcel with the sender's chain, to the same rank on a communicator of the
 * library's own: whoever has received the message can count on the parcel. Parcels of one sender come in the
 * order in which it sent, and say of which communicator and tag the message is: as MPI does not let messages
 * overtake each other, the first parcel that fits is that of the message.
 *
 * Everything in here is used under papi_mpi.path_lock, but for calls that wait for other ranks. */

enum { FOLLOWED_PLACES = 64, SOURCE_PLACES = 256, ANY_RANK = -1 };

/* The functions that are called on the way: looked up once. */
// clang-format off
#define CARRIER_FUNCTIONS(X)                                                                                 \
    X(Isend) X(Irecv) X(Test) X(Cancel) X(Wait) X(Test_cancelled)                                            \
    X(Allreduce) X(Bcast) X(Reduce) X(Scan) X(Exscan) X(Neighbor_allgather)                                  \
    X(Iallreduce) X(Ibcast) X(Ireduce) X(Iscan) X(Iexscan) X(Ineighbor_allgather)
// clang-format on

/* A communicator all of whose processes are ranks of this job. Others are not followed: there, a process may
 * not do the same. */
struct followed {
    struct followed *next;
    MPI_Comm comm;
    uint64_t id; /* the same on all its ranks, and no other communicator's */
    int size;    /* of the remote group, where there is one */
    int inter;
    int dupped;  /* so many times by MPI_Comm_idup */
    int gone;    /* freed by the program ... */
    int used;    /* ... and by so many requests not yet */
    int world[]; /* the ranks of MPI_COMM_WORLD; of that itself none */
};

enum { WORLD_ID = 1, SELF_ID };

static inline int carrier_world(const struct followed *comm, int rank)
{
    return comm->id == WORLD_ID ? rank : comm->world[rank];
}

struct parcel {
    uint64_t id;
    int32_t tag, unused;
    struct path path;
};

/* A parcel that came before its message was received. */
struct kept_parcel {
    struct kept_parcel *next;
    int source;
    struct parcel parcel;
};

struct sent_parcel {
    struct sent_parcel *next;
    MPI_Request request;
    struct parcel parcel;
};

enum request_kind { REQUEST_RECEIVE, REQUEST_SEND, REQUEST_COLLECTIVE, REQUEST_MESSAGE };

/* The ranks from which and to which a collective call goes that is completed later. */
enum later { LATER_ALL, LATER_FROM_ROOT, LATER_TO_ROOT, LATER_SCAN, LATER_EXSCAN, LATER_NEIGHBORS };

/* A request of the program, or the message of a matching probe. */
struct followed_request {
    struct followed_request *next;           /* of the same hash */
    struct followed_request *before, *after; /* active receives, in the order in which they were posted */
    uintptr_t key;
    enum request_kind kind;
    int persistent, active, cancelled, freed;
    int partitions, missing; /* of a partitioned send: how many it has, and are not ready yet */
    int held; /* by calls that may complete it: meanwhile MPI may give its handle to another one */
    int peer; /* a rank of MPI_COMM_WORLD; ANY_RANK */
    int tag;  /* or MPI_ANY_TAG */
    int n_paths, room, done; /* room: for paths of others */
    enum later later;
    int root;
    struct followed *comm;
    /* For a receive or a message: the sender's path, where it is known before the request is completed;
     * otherwise NULL. For a collective call: what this rank gets from n_paths others, and at room what it
     * gives. */
    struct path *path;
    MPI_Request request; /* of the collective call that goes along; done: it is */
};

struct carrier {
#define CARRIER_FUNCTION(name) __typeof__(PMPI_##name) name;
    CARRIER_FUNCTIONS(CARRIER_FUNCTION)
#undef CARRIER_FUNCTION
    MPI_Comm comm; /* of all ranks, for parcels */
    MPI_Datatype type;
    MPI_Op longer;
    uint32_t made; /* communicators to which this rank gave their numbers */
    struct followed *followed[FOLLOWED_PLACES];
    struct kept_parcel *first[SOURCE_PLACES], *last[SOURCE_PLACES];
    struct sent_parcel *oldest_sent, *newest_sent; /* MPI may still read them */
    struct followed_request **request;             /* a hash table of so many places; requests leave it */
    unsigned places, requests;
    struct followed_request *oldest, *newest, *abandoned;
};

/* Collective over the ranks of all, which are those of the job. 0: it failed, which a complaint says. */
int carrier_begin(MPI_Comm all);
/* Follows calls from here on; after rank_start, if carrier_begin has not failed. A rank without a record
 * passes on what the others have. */
void carrier_start(void);
/* Ends the following of calls. Local: makes no communication. */
void carrier_stop(void);
/* Gives back what is MPI's, after all ranks have stopped and heard of each other. The rest stays: a thread
 * that MPI_Finalize does not wait for may be in a call. */
void carrier_end(void);

/* The entry of a communicator. NULL if it is not followed, which is noted as a loss of the path. */
struct followed *carrier_comm(MPI_Comm comm);
/* Collective over a communicator that was made: follows it if it can. */
void carrier_made(MPI_Comm comm);
/* comm is what becomes of from by MPI_Comm_idup. No communication: not all ranks need to be there yet. As all
 * call it in the same order, which one of its copies this is gives the number. */
void carrier_dupped(MPI_Comm from, MPI_Comm comm);
/* Forgets a communicator that the program frees: MPI may give its handle to a later one. */
void carrier_gone(MPI_Comm comm);
void carrier_release(struct followed *comm);

/* Sends this rank's chain along with a message of the program; rank is that of MPI_COMM_WORLD. */
void carrier_send(int rank, int tag, const struct followed *comm);
/* The chain that came with the first message of the kind that was not yet asked for. Waits for it some
 * seconds at most; -1: it did not come, and no other is waited for any more. */
int carrier_take(int rank, int tag, const struct followed *comm, struct path *path);
/* Waits for a request of the library's own communication, as long as carrier_take does. 0, or -1: it was not
 * completed. */
int carrier_wait(MPI_Request *request);
/* The chain of this rank so far, which goes along with what it sends. */
const struct path *carrier_path(void);
/* Notes that something was missed: figures of the path would be wrong. */
void carrier_lost(void);

static inline void carrier_lock(void)
{
    pthread_mutex_lock(&papi_mpi.path_lock);
}

static inline void carrier_unlock(void)
{
    pthread_mutex_unlock(&papi_mpi.path_lock);
}
