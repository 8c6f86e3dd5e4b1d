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
 * then on messages have none, and none is guessed. */

enum {
    PARTNER_NONE = -1,      /* no message, or MPI_PROC_NULL */
    PARTNER_ELSEWHERE = -2, /* a rank of another communicator */
    PARTNER_ANY = -3,       /* MPI_ANY_SOURCE */
    RING_CHANNELS = 1024,   /* partners and tags that are counted */
    RING_REGION = -1        /* as the call of an entry */
};

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
    int16_t call;        /* enum call, or RING_REGION */
    int16_t thread;      /* its place in the record */
    int32_t region;      /* of RING_REGION: its place in the record */
    struct ring_end to, from;
};

struct ring_channel {
    int32_t taken, sends; /* sends: they go to the partner */
    int32_t partner, tag;
    uint32_t last; /* number */
    uint32_t unused;
};

struct call_ring {
    uint64_t places;                            /* a power of two */
    _Atomic uint64_t written;                   /* entries, also those that were replaced since */
    _Atomic uint32_t sends_lost, receives_lost; /* their order is not known any more */
    _Atomic uint32_t cancelled; /* a receive was: also numbers that were given before may be wrong */
    struct ring_channel channel[RING_CHANNELS];
    struct ring_entry entry[];
};

/* The ring of at most so many bytes. It is not in the record, and is never freed: a thread that MPI_Finalize
 * does not wait for may be in a call. NULL: there is no memory. */
struct call_ring *ring_make(size_t bytes);

/* Begins anew. */
void ring_clear(struct call_ring *ring);

/* Takes the next place for a call or a region, without bytes and messages, which may be added to it. */
static inline struct ring_entry *ring_add(struct call_ring *ring, int call, int thread, uint64_t begin,
                                          uint64_t end)
{
    uint64_t number = atomic_fetch_add_explicit(&ring->written, 1, memory_order_relaxed);
    struct ring_entry *entry = &ring->entry[number & (ring->places - 1)];
    entry->begin = begin;
    entry->end = end;
    entry->bytes = 0;
    entry->address = 0;
    entry->call = (int16_t)call;
    entry->thread = (int16_t)thread;
    entry->region = 0;
    entry->to = entry->from = (struct ring_end){.partner = PARTNER_NONE};
    return entry;
}

/* Adds a message to the entry. partner: a rank of MPI_COMM_WORLD or PARTNER_ELSEWHERE; known: the main thread
 * is here, and the call has returned a message. */
void ring_sends(struct call_ring *ring, struct ring_entry *entry, int partner, int tag, int known);
void ring_receives(struct call_ring *ring, struct ring_entry *entry, int partner, int tag, int known);

/* Gives no numbers from now on. */
void ring_lose_order(struct call_ring *ring);

/* Entries that are there, and each of them, from the oldest on. */
uint64_t ring_count(const struct call_ring *ring);
const struct ring_entry *ring_at(const struct call_ring *ring, uint64_t i);
