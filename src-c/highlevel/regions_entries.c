/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Entries of regions, recorded by each thread for itself and read by another thread at the end.
 *
 * A thread appends entries to chunks of its own, without a lock. The writer of the file may read them at any
 * time, in the midst of a region: an entry is complete before used says that it is there (release and
 * acquire), chunks are only ever appended, and numbers that still change are stored and loaded as atomic
 * words. The values of an open region are those up to the thread's last sample, and marked as unfinished.
 *
 * Memory is bounded by room, the number of entries that all threads may record one by one. When it is used
 * up, a thread goes on with merged entries: one for each name within each parent, to which further visits are
 * added, with their number in calls. Names are interned in the thread, so that the same region is found by
 * comparing pointers; in a loop not even that is looked up, as the frame still has the entry of the last
 * visit.
 */
#include "api/client.h"
#include "highlevel/regions.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Chunks grow from the first size to the last; a thread with a few regions costs little. */
enum { FIRST_CHUNK = 8, LAST_CHUNK = 1024, MOST_MERGED = 1 << 16 };

/* Stores a number that the writer reads in another thread, perhaps while it changes. */
static void put(long long *to, long long value)
{
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
}

int regions_values(const struct regions *regions)
{
    return VALUE_EVENTS + regions->n_events;
}

long long regions_calls(const struct regions *regions)
{
    long long sum = 0;
    for (const struct region_thread *thread = atomic_load(&regions->threads); thread != NULL;
         thread = atomic_load(&thread->next))
        sum += thread->calls;
    return sum;
}

/* ---- tables */

static uint64_t hash_place(const char *name, int parent)
{
    return ((uint64_t)(uintptr_t)name ^ (uint64_t)(unsigned)parent << 40) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The thread's own copy of a name: there is one, so that names can be compared by address. */
static __attribute__((noinline)) const char *intern(struct hash_table *names, const char *name)
{
    uint64_t hash = hash_text(name);
    uintptr_t known;
    for (size_t at = 0; (known = hash_next(names, hash, &at)) != 0;)
        if (strcmp((const char *)known, name) == 0)
            return (const char *)known;
    char *copy = hash_grow(names) ? strdup(name) : NULL;
    if (copy != NULL)
        hash_put(names, hash, (uintptr_t)copy);
    return copy;
}

static struct region_entry *merged_entry(const struct hash_table *merged, const char *name, int parent)
{
    size_t at = 0;
    struct region_entry *entry;
    do
        entry = (struct region_entry *)hash_next(merged, hash_place(name, parent), &at);
    while (entry != NULL && (entry->name != name || entry->parent != parent));
    return entry;
}

/* ---- entries */

static size_t entry_size(const struct regions *regions)
{
    return sizeof(struct region_entry) + (size_t)regions_values(regions) * sizeof(long long);
}

static struct region_entry *entry_at(const struct regions *regions, struct region_chunk *chunk, int i)
{
    return (struct region_entry *)(void *)(chunk->entries + (size_t)i * entry_size(regions));
}

struct region_entry *regions_next_entry(const struct region_thread *thread, struct region_place *place)
{
    struct region_chunk *next = place->chunk != NULL ? place->chunk : thread->first_chunk;
    while (next != NULL) {
        place->i = next == place->chunk ? place->i : 0;
        place->chunk = next;
        /* next is read before used: a chunk that has a next one is full. */
        next = atomic_load(&place->chunk->next);
        if (place->i < atomic_load(&place->chunk->used))
            return entry_at(thread->regions, place->chunk, place->i++);
    }
    return NULL;
}

/* Takes n of the entries that may be recorded one by one. */
static bool take_room(struct regions *regions, int n)
{
    if (atomic_fetch_sub(&regions->room, n) >= n)
        return true;
    atomic_fetch_add(&regions->room, n);
    return false;
}

static __attribute__((noinline)) struct region_chunk *add_chunk(struct region_thread *thread, bool merged)
{
    struct region_chunk *last = thread->last_chunk;
    int room = last == NULL || merged ? FIRST_CHUNK : last->room < LAST_CHUNK ? 2 * last->room : LAST_CHUNK;
    if (!merged && !take_room(thread->regions, room))
        return NULL;
    struct region_chunk *chunk = malloc(sizeof *chunk + (size_t)room * entry_size(thread->regions));
    if (chunk == NULL)
        return NULL;
    *chunk = (struct region_chunk){.room = room};
    if (last == NULL)
        thread->first_chunk = chunk;
    else
        atomic_store_explicit(&last->next, chunk, memory_order_release);
    thread->last_chunk = chunk;
    return chunk;
}

/* Takes the next entry, which the writer does not see before it is published. */
static inline struct region_entry *new_entry(struct region_thread *thread, const char *name, int parent,
                                             bool merged)
{
    struct region_chunk *chunk = thread->last_chunk;
    if (chunk == NULL || chunk->used == chunk->room)
        chunk = add_chunk(thread, merged);
    if (chunk == NULL)
        return NULL;
    struct region_entry *entry = entry_at(thread->regions, chunk, chunk->used);
    *entry = (struct region_entry){.name = name, .id = thread->n_entries, .parent = parent};
    return entry;
}

/* Merges a region into an earlier entry, because all room for entries one by one is used up. */
static __attribute__((noinline)) struct region_entry *merge(struct region_thread *thread, const char *name,
                                                            int parent)
{
    struct region_entry *entry = merged_entry(&thread->merged, name, parent);
    if (entry != NULL || thread->n_merged == MOST_MERGED || !hash_grow(&thread->merged))
        return entry;
    entry = new_entry(thread, name, parent, true);
    if (entry != NULL) {
        hash_put(&thread->merged, hash_place(name, parent), (uintptr_t)entry);
        thread->n_merged++;
    }
    return entry;
}

/* ---- frames */

static struct region_frame *next_frame(struct region_thread *thread, struct region_frame *outer)
{
    struct region_frame *frame = outer != NULL ? outer->inner : thread->outermost;
    if (frame != NULL)
        return frame;
    frame = calloc(1, sizeof *frame + (size_t)regions_values(thread->regions) * sizeof(long long));
    if (frame == NULL)
        return NULL;
    frame->outer = outer;
    if (outer != NULL)
        outer->inner = frame;
    else
        thread->outermost = frame;
    return frame;
}

struct region_frame *regions_enter(struct region_thread *thread, const char *name)
{
    struct region_frame *outer = atomic_load_explicit(&thread->innermost, memory_order_relaxed);
    struct region_frame *frame = next_frame(thread, outer);
    if (frame == NULL)
        return NULL;
    /* Reuses the frame's previous name, since in a loop the region is often the same. */
    bool again = frame->entry != NULL && strcmp(frame->entry->name, name) == 0;
    const char *own = again ? frame->entry->name : intern(&thread->names, name);
    int parent = outer != NULL ? outer->entry->id : -1;
    if (own == NULL)
        return NULL;
    struct region_entry *entry = thread->n_merged == 0 ? new_entry(thread, own, parent, false) : NULL;
    if (entry == NULL)
        entry = merge(thread, own, parent);
    if (entry == NULL)
        return NULL;
    frame->entry = entry;
    entry->frame = frame;
    frame->last_read = NULL;
    return frame;
}

void regions_open(struct region_thread *thread, struct region_frame *frame)
{
    struct region_entry *entry = frame->entry;
    struct region_chunk *chunk = thread->last_chunk;
    atomic_store_explicit(&entry->state, ENTRY_OPEN, memory_order_release);
    if (entry->id == thread->n_entries) {
        thread->n_entries++;
        atomic_store_explicit(&chunk->used, chunk->used + 1, memory_order_release);
    }
    atomic_store_explicit(&thread->innermost, frame, memory_order_release);
}

const char *regions_scope(const struct region_event *event)
{
    return event->granularity == PAPI_GRN_PROC    ? "process"
           : event->granularity == PAPI_GRN_PROCG ? "job"
                                                  : "node";
}

bool regions_instant(const struct regions *regions, int i)
{
    return i >= VALUE_EVENTS && regions->event[i - VALUE_EVENTS].instant;
}

long long regions_difference(const struct regions *regions, int i, long long begin, long long end)
{
    if (begin == NOT_COUNTED || end == NOT_COUNTED)
        return NOT_COUNTED;
    return regions_instant(regions, i) ? end : end - begin;
}

bool regions_known(const struct region_thread *thread, const struct region_entry *entry, long long *value)
{
    const struct regions *regions = thread->regions;
    bool open = atomic_load_explicit(&entry->state, memory_order_acquire) == ENTRY_OPEN;
    const struct region_frame *frame = open ? entry->frame : NULL;
    const long long *latest = regions_latest(thread);
    long long calls = __atomic_load_n(&entry->calls, __ATOMIC_ACQUIRE);
    for (int i = 0; i < regions_values(regions); i++) {
        long long more = 0;

        value[i] = calls > 0 ? __atomic_load_n(&entry->value[i], __ATOMIC_RELAXED) : 0;
        if (frame != NULL && frame->entry == entry)
            more = regions_difference(regions, i, __atomic_load_n(&frame->begin[i], __ATOMIC_RELAXED),
                                      __atomic_load_n(&latest[i], __ATOMIC_RELAXED));
        if (more == NOT_COUNTED || value[i] == NOT_COUNTED)
            value[i] = NOT_COUNTED;
        else if (more > 0)
            value[i] = regions_instant(regions, i) ? more : value[i] + more;
    }
    return !open && !atomic_load(&entry->unfinished);
}

/* Adds one entry's values to those of the entries before; an instant value replaces the earlier one. */
static void add(const struct regions *regions, long long *to, int i, long long value, bool first)
{
    bool sum = !first && !regions_instant(regions, i);
    if (sum && (*to == NOT_COUNTED || value == NOT_COUNTED))
        value = NOT_COUNTED;
    else if (sum)
        value += *to;
    put(to, value);
}

static __attribute__((noinline)) void add_all(const struct regions *regions, struct region_entry *entry,
                                              const long long *begin, const long long *end)
{
    bool first = entry->calls == 0;
    for (int i = 0; i < regions_values(regions); i++)
        add(regions, &entry->value[i], i, regions_difference(regions, i, begin[i], end[i]), first);
}

void regions_leave(struct region_thread *thread, const long long *value)
{
    struct region_frame *frame = atomic_load_explicit(&thread->innermost, memory_order_relaxed);
    struct region_entry *entry = frame->entry;
    int n = regions_values(thread->regions);
    if (thread->direct != PAPI_NULL && entry->calls == 0)
        for (int i = 0; i < n; i++)
            put(&entry->value[i], value[i] - frame->begin[i]);
    else
        add_all(thread->regions, entry, frame->begin, value);
    __atomic_store_n(&entry->calls, entry->calls + 1, __ATOMIC_RELEASE);
    atomic_store_explicit(&entry->state, ENTRY_DONE, memory_order_release);
    atomic_store_explicit(&thread->innermost, frame->outer, memory_order_release);
}

/* ---- reads */

static struct region_read *new_read(struct region_thread *thread)
{
    size_t size = sizeof(struct region_read) + (size_t)regions_values(thread->regions) * sizeof(long long);
    return take_room(thread->regions, 1) ? calloc(1, size) : NULL; /* as much room as entries take */
}

int regions_keep_read(struct region_thread *thread, const long long *value)
{
    const struct regions *regions = thread->regions;
    struct region_frame *frame = atomic_load_explicit(&thread->innermost, memory_order_relaxed);
    struct region_read *_Atomic *place =
        frame->last_read != NULL ? &frame->last_read->next : &frame->entry->reads;
    struct region_read *read = atomic_load_explicit(place, memory_order_relaxed);
    bool first = read == NULL; /* else an entry that has several entries' readings */
    if (first && (read = new_read(thread)) == NULL)
        return PAPI_ENOMEM;
    for (int i = 0; i < regions_values(regions); i++)
        add(regions, &read->value[i], i, regions_difference(regions, i, frame->begin[i], value[i]), first);
    atomic_store_explicit(place, read, memory_order_release);
    frame->last_read = read;
    return PAPI_OK;
}

/* ---- threads */

/* Allocates a thread's object in one piece with all its arrays. */
static struct region_thread *allocate(struct regions *regions)
{
    size_t n = (size_t)regions_values(regions), n_sets = (size_t)regions->n_sets;
    size_t set_size = sizeof(struct running_set) + (size_t)regions->n_events * sizeof(int);
    struct region_thread *thread = calloc(1, sizeof *thread + 2 * n * sizeof(long long) + n_sets * set_size);
    if (thread == NULL)
        return NULL;
    thread->regions = regions;
    thread->direct = PAPI_NULL;
    thread->offset = (long long *)(thread + 1);
    thread->sample = thread->offset + n;
    thread->set = (struct running_set *)(thread->sample + n);
    int *event = (int *)(thread->set + n_sets);
    for (size_t s = 0; s < n_sets; s++, event += regions->n_events)
        thread->set[s] = (struct running_set){.es = PAPI_NULL, .event = event};
    return thread;
}

static void list(struct regions *regions, struct region_thread *thread)
{
    if (regions->last_thread == NULL)
        atomic_store(&regions->threads, thread);
    else
        atomic_store(&regions->last_thread->next, thread);
    regions->last_thread = thread;
}

struct region_thread *regions_thread_make(struct regions *regions, int *code)
{
    struct region_thread *thread = NULL;
    regions_lock(regions);
    *code = regions_plan(regions);
    if (*code == PAPI_OK)
        thread = allocate(regions);
    if (thread != NULL && pthread_setspecific(regions->key, thread) != 0) {
        free(thread);
        thread = NULL;
    }
    if (thread != NULL)
        list(regions, thread);
    else if (*code == PAPI_OK)
        *code = client_failed(PAPI_ENOMEM, "out of memory");
    regions_unlock(regions);
    return thread;
}
