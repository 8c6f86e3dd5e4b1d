/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/call_ring.h"

#include <string.h>
#include <sys/mman.h>

static size_t places_in(size_t bytes)
{
    size_t places = 1;
    while (sizeof(struct call_ring) + 2 * places * sizeof(struct ring_entry) <= bytes)
        places *= 2;
    return places;
}

size_t ring_size(size_t bytes)
{
    return sizeof(struct call_ring) + places_in(bytes) * sizeof(struct ring_entry);
}

/* Its pages are there from the beginning: a page that comes in a call would cost more than the call. */
struct call_ring *ring_make(void *memory, size_t bytes)
{
    size_t places = places_in(bytes);
    struct call_ring *ring = memory;
    if (memory == NULL)
        ring = mmap(NULL, ring_size(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (ring == MAP_FAILED)
        return NULL;
    memset(ring->entry, 0, places * sizeof *ring->entry);
    ring->places = places;
    ring->version = RECORD_VERSION;
    ring->entry_size = sizeof *ring->entry;
    ring->magic = RING_MAGIC;
    ring->requests = mmap(NULL, sizeof *ring->requests, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (ring->requests != MAP_FAILED)
        return ring;
    if (memory == NULL)
        munmap(ring, ring_size(bytes));
    return NULL;
}

void ring_clear(struct call_ring *ring)
{
    atomic_store(&ring->written, 0);
    atomic_store(&ring->sends_lost, 0);
    atomic_store(&ring->receives_lost, 0);
    atomic_store(&ring->open, 0);
    atomic_store(&ring->requests_lost, 0);
    memset(ring->channel, 0, sizeof ring->channel);
    memset(ring->requests, 0, sizeof *ring->requests);
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
    return channel != NULL && channel->last < RING_OPEN - 1 ? ++channel->last : 0;
}

static struct ring_end end_of(struct call_ring *ring, _Atomic uint32_t *lost, int sends, int partner, int tag,
                              int known)
{
    struct ring_end end = {partner, tag, 0};
    if (partner == PARTNER_ELSEWHERE)
        return end;
    if (!known)
        atomic_store_explicit(lost, 1, memory_order_relaxed);
    if (atomic_load_explicit(lost, memory_order_relaxed))
        return end;
    int is_open = partner == PARTNER_ANY || tag == TAG_ANY;
    end.number = is_open ? RING_OPEN : next_number(ring, sends, partner, tag);
    if (is_open)
        atomic_fetch_add_explicit(&ring->open, 1, memory_order_relaxed);
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

/* The number of an entry that was written lately. */
static uint64_t number_of(const struct call_ring *ring, const struct ring_entry *entry)
{
    uint64_t last = atomic_load_explicit(&ring->written, memory_order_relaxed) - 1;
    return last - ((last - (uint64_t)(entry - ring->entry)) & (ring->places - 1));
}

/* NULL: another one has its place. */
static struct ring_entry *entry_of(struct call_ring *ring, uint64_t number)
{
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    return written - number <= ring->places ? &ring->entry[number & (ring->places - 1)] : NULL;
}

/* Adds to the numbers of the receives of a channel that were posted after an entry. Returns how many there
 * are. */
static uint32_t move_later(struct call_ring *ring, uint64_t number, int partner, int tag, uint32_t by)
{
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t first = written > ring->places ? written - ring->places : 0;
    uint32_t n = 0;
    for (uint64_t i = number + 1 > first ? number + 1 : first; i < written; i++) {
        struct ring_end *from = &ring->entry[i & (ring->places - 1)].from;

        if (from->partner != partner || from->tag != tag || from->number == 0 || from->number == RING_OPEN)
            continue;
        from->number += by;
        n++;
    }
    return n;
}

/* Puts a receive into the order, as the number-th entry was posted. */
static void found(struct call_ring *ring, uint64_t number, int partner, int tag)
{
    uint32_t last = next_number(ring, 0, partner, tag), later = move_later(ring, number, partner, tag, 1);
    struct ring_entry *entry = entry_of(ring, number);
    atomic_fetch_sub_explicit(&ring->open, 1, memory_order_relaxed);
    if (last == 0) /* no room for the channel: none of its receives has a number */
        later = 0;
    if (entry != NULL)
        entry->from = (struct ring_end){partner, tag, last - later};
}

void ring_found(struct call_ring *ring, struct ring_entry *entry, int partner, int tag)
{
    if (entry->from.number == RING_OPEN)
        found(ring, number_of(ring, entry), partner, tag);
}

/* ---- requests */

static unsigned first_place(uint64_t key)
{
    return (unsigned)(key * 0x9e3779b97f4a7c15u >> 40) % RING_REQUESTS;
}

/* The place that has the key, or a free one. */
static struct ring_request *place_of(struct ring_requests *requests, uint64_t key)
{
    unsigned at = first_place(key);
    while (requests->at[at].key != 0 && requests->at[at].key != key)
        at = (at + 1) % RING_REQUESTS;
    return &requests->at[at];
}

/* NULL: it is not there. */
static struct ring_request *request_of(const struct call_ring *ring, uint64_t key)
{
    if (key == 0 || atomic_load_explicit(&ring->requests_lost, memory_order_relaxed))
        return NULL;
    struct ring_request *request = place_of(ring->requests, key);
    return request->key != 0 ? request : NULL;
}

/* Makes the place free, and closes the gap: those behind it move up as far as their own first places. */
static void take_out(struct ring_requests *requests, struct ring_request *request)
{
    unsigned gap = (unsigned)(request - requests->at);
    for (unsigned at = (gap + 1) % RING_REQUESTS; requests->at[at].key != 0; at = (at + 1) % RING_REQUESTS) {
        unsigned back = (at - first_place(requests->at[at].key)) % RING_REQUESTS;

        if (back < (at - gap) % RING_REQUESTS)
            continue;
        requests->at[gap] = requests->at[at];
        gap = at;
    }
    requests->at[gap].key = 0;
    requests->taken--;
}

/* Returns a place for a request, or NULL: there is none. One that is there already has a handle that several
 * have, as MPI gives it to sends that are complete: which of them is completed is not known. */
static struct ring_request *add_request(struct call_ring *ring, uint64_t key)
{
    struct ring_request *there = request_of(ring, key);
    if (there != NULL)
        take_out(ring->requests, there);
    if (there != NULL || key == 0 || ring->requests->taken >= MOST_REQUESTS ||
        atomic_load_explicit(&ring->requests_lost, memory_order_relaxed))
        return NULL;
    ring->requests->taken++;
    struct ring_request *request = place_of(ring->requests, key);
    *request = (struct ring_request){.key = key};
    return request;
}

static void begin(const struct call_ring *ring, struct ring_request *request, const struct ring_entry *entry)
{
    request->made = number_of(ring, entry) + 1;
    request->sends = entry->to.number != 0;
    request->receives = entry->from.number != 0;
    request->open = entry->from.number == RING_OPEN;
    if (request->receives)
        request->of = entry->from;
}

void ring_requested(struct call_ring *ring, struct ring_entry *entry, uint64_t key)
{
    if (entry->to.number == 0 && entry->from.number == 0)
        return;
    struct ring_request *request = add_request(ring, key);
    if (request != NULL)
        begin(ring, request, entry);
}

void ring_prepared(struct call_ring *ring, int sends, int partner, int tag, uint64_t key)
{
    struct ring_request *request = add_request(ring, key);
    if (request == NULL)
        return;
    request->persistent = 1;
    request->sends = (int8_t)sends;
    request->of = (struct ring_end){partner, tag, 0};
}

int ring_started(struct call_ring *ring, struct ring_entry *entry, uint64_t key)
{
    struct ring_request *request = request_of(ring, key);
    if (request == NULL || !request->persistent)
        return -1;
    int sends = request->sends;
    struct ring_end of = request->of;
    if (of.partner == PARTNER_NONE)
        return 0;
    (sends ? ring_sends : ring_receives)(ring, entry, of.partner, of.tag, 1);
    begin(ring, request, entry);
    request->sends = (int8_t)sends;
    request->of = of; /* as the program gave it */
    return 0;
}

/* Takes the numbers away from what was sent by the number-th entry and later. */
static void lose_sends(struct call_ring *ring, uint64_t number)
{
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t first = written > ring->places ? written - ring->places : 0;
    atomic_store_explicit(&ring->sends_lost, 1, memory_order_relaxed);
    for (uint64_t i = number > first ? number : first; i < written; i++)
        ring->entry[i & (ring->places - 1)].to.number = 0;
}

/* Opens a receive that has its number. */
static void open_receive(struct call_ring *ring, struct ring_request *request)
{
    struct ring_channel *channel = channel_of(ring, 0, request->of.partner, request->of.tag);
    struct ring_entry *entry = entry_of(ring, request->made - 1);
    move_later(ring, request->made - 1, request->of.partner, request->of.tag, UINT32_MAX);
    if (channel != NULL)
        channel->last--;
    if (entry != NULL)
        entry->from.number = RING_OPEN;
    request->open = 1;
    atomic_fetch_add_explicit(&ring->open, 1, memory_order_relaxed);
}

void ring_cancels(struct call_ring *ring, uint64_t key)
{
    struct ring_request *request = request_of(ring, key);
    int is_known = request != NULL && request->made != 0;
    if (!is_known || request->sends)
        lose_sends(ring, is_known ? request->made - 1 : 0);
    if (!is_known) { /* one that no entry has: all numbers are in doubt */
        atomic_store_explicit(&ring->receives_lost, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&ring->open, 1, memory_order_relaxed);
    } else if (request->receives && !request->open) {
        open_receive(ring, request);
    }
}

void ring_freed(struct call_ring *ring, uint64_t key)
{
    struct ring_request *request = request_of(ring, key);
    if (request != NULL)
        take_out(ring->requests, request);
}

int ring_asks(const struct call_ring *ring, uint64_t key)
{
    const struct ring_request *request = request_of(ring, key);
    return request != NULL && request->made != 0 && request->open;
}

/* Ends the receive of a request that was open. */
static void close_receive(struct call_ring *ring, uint64_t number, struct ring_got got)
{
    struct ring_entry *entry = entry_of(ring, number);
    if (!got.known)
        return;
    if (!got.cancelled) {
        found(ring, number, got.partner, got.tag);
        return;
    }
    atomic_fetch_sub_explicit(&ring->open, 1, memory_order_relaxed);
    if (entry != NULL)
        entry->from.number = 0;
}

void ring_completed(struct call_ring *ring, const struct ring_entry *entry, uint64_t key, int alone,
                    struct ring_got got)
{
    struct ring_request *request = request_of(ring, key);
    if (request == NULL || request->made == 0)
        return;
    uint64_t number = request->made - 1, later = number_of(ring, entry) - number;
    int is_open = request->open;
    struct ring_entry *made = entry_of(ring, number);
    request->made = 0;
    request->open = 0;
    if (!request->persistent)
        take_out(ring->requests, request);
    if (made != NULL && later <= INT32_MAX)
        made->region = alone ? -(int32_t)later : (int32_t)later;
    if (is_open)
        close_receive(ring, number, got);
}

void ring_forget_requests(struct call_ring *ring)
{
    atomic_store_explicit(&ring->requests_lost, 1, memory_order_relaxed);
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
