/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event sets by their handles.
 *
 * A handle is a place in a table and the generation of that place, which grows each time that the place is
 * given back: a stale handle does not match any more, and is an error instead of another set. Places are used
 * again in the order in which they became free, so that a generation, which has 15 bits, comes again late.
 *
 * The table grows by chunks that never move, and slots are atomic, so that a look-up takes no lock. A set may
 * only be touched by its owner, since another thread may be destroying it: a look-up compares the slot's
 * owner, which is a pointer to the thread's object, before it follows the slot to the set. The slot of the
 * last look-up is kept in the thread: programs mostly use one event set, for which a comparison of handles is
 * all.
 */
#include "core/handles.h"

#include <stdlib.h>

const struct slot handle_none = {.handle = NO_HANDLE};

static struct slot *slot_at(int place)
{
    return &papi_library.chunk[place >> CHUNK_BITS][place & (CHUNK_SLOTS - 1)];
}

static void append_free(int place)
{
    struct papi_library *library = &papi_library;
    slot_at(place)->next_free = 0;
    if (library->first_free == 0)
        library->first_free = place + 1;
    else
        slot_at(library->last_free)->next_free = place + 1;
    library->last_free = place;
}

/* The table grows by a chunk at a time, so that a reader never sees it move. */
static int grow(struct reason *why)
{
    struct papi_library *library = &papi_library;
    int chunk = library->n_slots >> CHUNK_BITS;
    if (library->n_slots == MAX_SLOTS)
        return reason_set(why, PAPI_ENOMEM, "%d event sets exist already", (int)MAX_SLOTS);
    struct slot *slots = calloc(CHUNK_SLOTS, sizeof *slots);
    if (slots == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    for (int i = 0; i < CHUNK_SLOTS; i++)
        slots[i].handle = NO_HANDLE;
    library->chunk[chunk] = slots;
    for (int i = 0; i < CHUNK_SLOTS; i++)
        append_free(library->n_slots + i);
    library->n_slots += CHUNK_SLOTS;
    return PAPI_OK;
}

int handle_give(struct eventset *set, int *handle, struct reason *why)
{
    struct papi_library *library = &papi_library;
    if (library->first_free == 0) {
        int code = grow(why);
        if (code != PAPI_OK)
            return code;
    }
    int place = library->first_free - 1;
    struct slot *slot = slot_at(place);
    library->first_free = slot->next_free;
    slot->set = set;
    slot->owner = thread_self();
    *handle = (int)((slot->generation & 0x7fffU) << SLOT_BITS) | place;
    slot->handle = *handle;
    return PAPI_OK;
}

void handle_close(int handle)
{
    slot_at(handle & (MAX_SLOTS - 1))->handle = NO_HANDLE;
}

void handle_take(int handle)
{
    int place = handle & (MAX_SLOTS - 1);
    struct slot *slot = slot_at(place);
    if (atomic_load_explicit(&papi_last_slot, memory_order_relaxed) == slot)
        atomic_store_explicit(&papi_last_slot, &handle_none, memory_order_relaxed);
    slot->handle = NO_HANDLE;
    slot->owner = NULL;
    slot->set = NULL;
    slot->generation++;
    append_free(place);
}

/* Sets the reason why a handle is not an event set of this thread. */
static int refused(int handle, const struct slot *slot)
{
    struct reason *why = &thread_self()->why;
    if (!library_ready())
        return reason_set(why, PAPI_ENOINIT, "PAPI_library_init has not been called");
    if (slot == NULL || slot->handle != handle)
        return reason_set(why, PAPI_ENOEVST, "%d is not an event set, or it was destroyed", handle);
    return reason_set(why, PAPI_ENOEVST,
                      "event set %d was made by another thread; a thread uses the event sets that it made",
                      handle);
}

struct eventset *handle_search(int handle)
{
    unsigned place = (unsigned)handle & (MAX_SLOTS - 1);
    struct slot *chunk = handle >= 0 ? papi_library.chunk[place >> CHUNK_BITS] : NULL;
    struct slot *slot = chunk ? &chunk[place & (CHUNK_SLOTS - 1)] : NULL;
    struct papi_thread *self = papi_thread_pointer;
    /* The owner is compared first: only it may look at the set. */
    if (slot == NULL || slot->handle != handle || slot->owner != self || self == NULL) {
        refused(handle, slot);
        return NULL;
    }
    atomic_store_explicit(&papi_last_slot, slot, memory_order_relaxed);
    return slot->set;
}
