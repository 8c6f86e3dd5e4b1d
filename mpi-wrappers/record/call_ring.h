/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The last calls of a rank, where PAPI_MPI_TIMELINE asks for them: a ring of entries, of which a new one
 * replaces the oldest. At the end of the job rank 0 makes a file of all ranks' rings (job/timeline_file.h).
 *
 * A message is told by its number: sender and receiver each count those between them with the same tag, in
 * the order of their calls, which is the order in which MPI matches them. Counted are those of MPI_COMM_WORLD
 * that the main thread sends and receives, until something comes after which the order is not known: from
 * then on messages have none, and none is guessed.
 * A receive from any rank or with any tag is counted where it stands in that order as soon as its message has
 * come: receives of the same sender and tag that were posted later have their numbers raised by one. A
 * receive that the program cancels is taken out of the order until it is known whether a message had come.
 * Until then both are open, and the numbers of all later receives are in doubt. */

enum {
    PARTNER_NONE = -1,      /* no message, or MPI_PROC_NULL */
    PARTNER_ELSEWHERE = -2, /* a rank of another communicator */
    PARTNER_ANY = -3,       /* MPI_ANY_SOURCE */
    TAG_ANY = INT32_MIN,    /* MPI_ANY_TAG */
    RING_CHANNELS = 1024,   /* partners and tags that are counted */
    RING_REGION = -1,       /* as the call of an entry */
    RING_MESSAGE = -2,      /* the same: another message of the call before */
    RING_UNWRITTEN = -3     /* the same: none yet */
};

#define RING_UNFINISHED UINT64_MAX /* as the bytes of a call that has not ended */
#define RING_OPEN UINT32_MAX       /* as the number of a receive: its message is not known yet */

/* An end of a message. */
struct ring_end {
    int32_t partner; /* a rank of MPI_COMM_WORLD, or one of the above */
    int32_t tag;
    uint32_t number; /* from 1 on; 0: not known */
};

struct ring_entry {
    uint64_t begin, end; /* ticks */
    uint64_t bytes;      /* as account.h counts them */
    uint64_t address;    /* of its call site, in the record; 0: it has none */
    int16_t call;        /* enum call, or one of the above */
    int16_t thread;      /* its place in the record */
    /* Place in the record, of RING_REGION. Otherwise how many entries later is the call that completed the
     * request which this call made or started; negative: and no other one; 0: not known. */
    int32_t region;
    struct ring_end to, from;
};

struct ring_channel {
    int32_t taken, sends; /* sends: they go to the partner */
    int32_t partner, tag;
    uint32_t last; /* number */
    uint32_t unused;
};

/* Requests of the main thread for messages that are counted: those that are open, and persistent ones. */
struct ring_request {
    uint64_t key;  /* its handle; 0: a free place */
    uint64_t made; /* number of the entry that began it, and 1 more; 0: a persistent one that has not */
    struct ring_end of;
    int8_t persistent, sends, receives;
    int8_t open; /* its receive is */
};

enum { RING_REQUESTS = 4096, MOST_REQUESTS = RING_REQUESTS / 8 * 7 };
struct ring_requests {
    int taken;
    struct ring_request at[RING_REQUESTS]; /* a hash table, linear probing */
};

#define RING_MAGIC 0x31676e6972697066ULL /* "fpiring1" */

/* As the record it may be in a file that outlives the process: plain numbers, but for requests. */
struct call_ring {
    uint64_t magic;
    uint32_t version, entry_size;
    uint64_t places;                            /* a power of two */
    _Atomic uint64_t written;                   /* entries, also those that were replaced since */
    _Atomic uint32_t sends_lost, receives_lost; /* their order is not known any more */
    _Atomic uint32_t open;                      /* receives, also those whose entries were replaced since */
    _Atomic uint32_t requests_lost;             /* which calls complete them is not known any more */
    struct ring_requests *requests;             /* of the rank itself alone */
    struct ring_channel channel[RING_CHANNELS];
    struct ring_entry entry[];
};

/* Bytes of a ring that takes at most so many. */
size_t ring_size(size_t bytes);

/* Makes a ring of that size in memory that is all zero; NULL: in plain memory. It is never freed: a thread
 * that MPI_Finalize does not wait for may be in a call. NULL: there is no memory. */
struct call_ring *ring_make(void *memory, size_t bytes);

/* Begins anew. */
void ring_clear(struct call_ring *ring);

/* Takes the next place for a call or a region, without bytes and messages, which may be added to it. */
static inline struct ring_entry *ring_add(struct call_ring *ring, int call, int thread, uint64_t begin,
                                          uint64_t end)
{
    uint64_t number = atomic_fetch_add_explicit(&ring->written, 1, memory_order_relaxed);
    struct ring_entry *entry = &ring->entry[number & (ring->places - 1)];
    entry->call = RING_UNWRITTEN; /* a rank may be killed at any moment */
    atomic_signal_fence(memory_order_release);
    entry->begin = begin;
    entry->end = end;
    entry->bytes = 0;
    entry->address = 0;
    entry->thread = (int16_t)thread;
    entry->region = 0;
    entry->to = entry->from = (struct ring_end){.partner = PARTNER_NONE};
    atomic_signal_fence(memory_order_release);
    entry->call = (int16_t)call;
    return entry;
}

/* Adds a message to the entry. partner: a rank of MPI_COMM_WORLD or PARTNER_ELSEWHERE, of a receive
 * PARTNER_ANY, too; known: the main thread is here, and the call has not failed. */
void ring_sends(struct call_ring *ring, struct ring_entry *entry, int partner, int tag, int known);
void ring_receives(struct call_ring *ring, struct ring_entry *entry, int partner, int tag, int known);

/* Gives no numbers from now on. */
void ring_lose_order(struct call_ring *ring);

/* Requests, by the main thread alone. Handles are those of C, as numbers. */

/* The entry's call made a request for its messages. */
void ring_requested(struct call_ring *ring, struct ring_entry *entry, uint64_t key);
/* A persistent request was made for a message, and is started by the entry's call: 0, or -1: it is not known.
 */
void ring_prepared(struct call_ring *ring, int sends, int partner, int tag, uint64_t key);
int ring_started(struct call_ring *ring, struct ring_entry *entry, uint64_t key);
/* The program cancels it. */
void ring_cancels(struct call_ring *ring, uint64_t key);
void ring_freed(struct call_ring *ring, uint64_t key);
/* True if ring_completed needs to know what the message was. */
int ring_asks(const struct call_ring *ring, uint64_t key);

/* Facts of a completed request: of a receive, who sent the message. */
struct ring_got {
    int known, cancelled; /* known: the others are */
    int32_t partner, tag;
};

/* The entry's call has completed the request; alone: and no other one. */
void ring_completed(struct call_ring *ring, const struct ring_entry *entry, uint64_t key, int alone,
                    struct ring_got got);

/* The entry's call has received a message for which ring_receives had no number yet. */
void ring_found(struct call_ring *ring, struct ring_entry *entry, int partner, int tag);

/* Calls were not seen, or another thread's completed requests: no more of them are followed. */
void ring_forget_requests(struct call_ring *ring);

/* Entries that are there, and each of them, from the oldest on. */
uint64_t ring_count(const struct call_ring *ring);
const struct ring_entry *ring_at(const struct call_ring *ring, uint64_t i);
