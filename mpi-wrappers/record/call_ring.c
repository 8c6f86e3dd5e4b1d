/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/call_ring.h"

#include <string.h>
#include <sys/mman.h>

/* Its pages are there from the beginning: a page that comes in a call would cost more than the call. */
struct call_ring *ring_make(size_t bytes)
{
    size_t places = 1;
    while (sizeof(struct call_ring) + 2 * places * sizeof(struct ring_entry) <= bytes)
        places *= 2;
    struct call_ring *ring = mmap(NULL, sizeof *ring + places * sizeof *ring->entry, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (ring == MAP_FAILED)
        return NULL;
    ring->places = places;
    return ring;
}

void ring_clear(struct call_ring *ring)
{
    atomic_store(&ring->written, 0);
    atomic_store(&ring->sends_lost, 0);
    atomic_store(&ring->receives_lost, 0);
    atomic_store(&ring->cancelled, 0);
    memset(ring->channel, 0, sizeof ring->channel);
}

/* ---- messages */

/* NULL: all places are taken. Places are never given back, so one that is not found now never is. */
static struct ring_channel *channel_of(struct call_ring *ring, int sends, int partner, int tag)
{
    uint64_t key = (uint64_t)(uint32_t)partner << 32 | ((uint32_t)tag << 1 ^ (uint32_t)sends);
    unsigned at = (unsigned)(key * 0x9e3779b97f4a7c15u >> 40) % RING_CHANNELS;
    for (int i = 0; i < RING_CHANNELS; i++, at = (at + 1) % RING_CHANNELS) {
        struct ring_channel *channel = &ring->channel[at];

        if (!channel->taken)
            *channel = (struct ring_channel){.taken = 1, .sends = sends, .partner = partner, .tag = tag};
        if (channel->sends == sends && channel->partner == partner && channel->tag == tag)
            return channel;
    }
    return NULL;
}

static uint32_t next_number(struct call_ring *ring, int sends, int partner, int tag)
{
    struct ring_channel *channel = channel_of(ring, sends, partner, tag);
    return channel != NULL && channel->last < UINT32_MAX ? ++channel->last : 0;
}

static struct ring_end end_of(struct call_ring *ring, _Atomic uint32_t *lost, int sends, int partner, int tag,
                              int known)
{
    struct ring_end end = {partner, tag, 0};
    if (partner == PARTNER_ELSEWHERE)
        return end;
    if (!known || partner < 0)
        atomic_store_explicit(lost, 1, memory_order_relaxed);
    if (!atomic_load_explicit(lost, memory_order_relaxed))
        end.number = next_number(ring, sends, partner, tag);
    return end;
}

void ring_sends(struct call_ring *ring, struct ring_entry *entry, int partner, int tag, int known)
{
    entry->to = end_of(ring, &ring->sends_lost, 1, partner, tag, known);
}

void ring_receives(struct call_ring *ring, struct ring_entry *entry, int partner, int tag, int known)
{
    entry->from = end_of(ring, &ring->receives_lost, 0, partner, tag, known);
}

void ring_lose_order(struct call_ring *ring)
{
    atomic_store_explicit(&ring->sends_lost, 1, memory_order_relaxed);
    atomic_store_explicit(&ring->receives_lost, 1, memory_order_relaxed);
}

/* ---- reading */

uint64_t ring_count(const struct call_ring *ring)
{
    uint64_t written = atomic_load(&ring->written);
    return written < ring->places ? written : ring->places;
}

const struct ring_entry *ring_at(const struct call_ring *ring, uint64_t i)
{
    uint64_t first = atomic_load(&ring->written) - ring_count(ring);
    return &ring->entry[(first + i) & (ring->places - 1)];
}
