/* SPDX-License-Identifier: BSD-3-Clause */
#include "openmp.h"

#include <stdlib.h>

static size_t first_probe(enum place_kind kind, uintptr_t code, const struct place *region)
{
    uint64_t hash = (code ^ ((uintptr_t)region >> 4) ^ ((uint64_t)kind << 56)) * 0x9e3779b97f4a7c15u;
    return (size_t)(hash >> 32) % (2 * MOST_PLACES);
}

/* The place in the table, or the empty entry where it belongs: the table is never full. */
static struct place *_Atomic *probe(enum place_kind kind, uintptr_t code, const struct place *region)
{
    size_t at = first_probe(kind, code, region);
    for (;; at = (at + 1) % (2 * MOST_PLACES)) {
        struct place *_Atomic *entry = &openmp.places.table[at];
        const struct place *place = atomic_load_explicit(entry, memory_order_acquire);
        if (place == NULL || (place->code == code && place->kind == kind && place->region == region))
            return entry;
    }
}

static struct place *make(enum place_kind kind, uintptr_t code, const struct place *region)
{
    struct place *place = NULL;
    pthread_mutex_lock(&openmp.lock);
    struct place *_Atomic *entry = probe(kind, code, region);
    place = atomic_load(entry);
    if (place == NULL && atomic_load(&openmp.places.n) < MOST_PLACES &&
        (place = calloc(1, sizeof *place)) != NULL) {
        place->kind = kind;
        place->code = code;
        place->region = region;
        atomic_store_explicit(entry, place, memory_order_release);
        atomic_fetch_add(&openmp.places.n, 1);
    }
    pthread_mutex_unlock(&openmp.lock);
    if (place == NULL)
        figure_add(&openmp.places.left_out, 1);
    return place;
}

struct place *place_find(enum place_kind kind, const void *code, const struct place *region)
{
    struct place *place = atomic_load_explicit(probe(kind, (uintptr_t)code, region), memory_order_acquire);
    return place != NULL ? place : make(kind, (uintptr_t)code, region);
}

static int bounded(int number)
{
    return number < 0 ? 0 : number < MOST_NUMBERS ? number : MOST_NUMBERS - 1;
}

struct slot *place_slot(struct place *region, int number)
{
    int i = bounded(number);
    struct slot *_Atomic *block = &region->block[i / SLOT_BLOCK];
    struct slot *slots = atomic_load_explicit(block, memory_order_acquire), *more = NULL;
    if (slots == NULL) {
        more = aligned_alloc(_Alignof(struct slot), SLOT_BLOCK * sizeof *more);
        if (more == NULL)
            return NULL;
        for (int j = 0; j < SLOT_BLOCK; j++)
            more[j] = (struct slot){.calls = 0};
        if (atomic_compare_exchange_strong(block, &slots, more))
            slots = more;
        else
            free(more); /* another thread was faster */
    }
    return &slots[i % SLOT_BLOCK];
}

const struct slot *place_slot_there(const struct place *region, int number)
{
    int i = bounded(number);
    const struct slot *slots = atomic_load_explicit(&region->block[i / SLOT_BLOCK], memory_order_acquire);
    return slots != NULL ? &slots[i % SLOT_BLOCK] : NULL;
}

static void merge_slot(struct slot *into, const struct slot *from)
{
    figure_add(&into->calls, figure(&from->calls));
    figure_add(&into->work, figure(&from->work));
    figure_add(&into->barriers, figure(&from->barriers));
    figure_add(&into->locks, figure(&from->locks));
    figure_add(&into->prepared, figure(&from->prepared));
    figure_add(&into->uncounted, figure(&from->uncounted));
    for (int i = 0; i < MOST_COUNTS; i++)
        atomic_fetch_add(&into->count[i], atomic_load(&from->count[i]));
}

void place_merge(struct place *into, const struct place *from)
{
    figure_add(&into->calls, figure(&from->calls));
    figure_add(&into->nested, figure(&from->nested));
    figure_add(&into->alone, figure(&from->alone));
    figure_add(&into->elapsed, figure(&from->elapsed));
    figure_add(&into->capacity, figure(&from->capacity));
    figure_add(&into->longest, figure(&from->longest));
    figure_add(&into->uneven, figure(&from->uneven));
    figure_add(&into->waits, figure(&from->waits));
    figure_add(&into->waited, figure(&from->waited));
    figure_most(&into->most, figure(&from->most));
    if (atomic_load(&from->threads) > atomic_load(&into->threads))
        atomic_store(&into->threads, atomic_load(&from->threads));
    atomic_fetch_or(&into->tasks, atomic_load(&from->tasks));
    atomic_fetch_or(&into->around, atomic_load(&from->around));
    for (int number = 0; number < MOST_NUMBERS; number++) {
        const struct slot *slot = place_slot_there(from, number);
        struct slot *own = slot != NULL && figure(&slot->calls) > 0 ? place_slot(into, number) : NULL;
        if (own != NULL)
            merge_slot(own, slot);
    }
}
