/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_CORE_HANDLES_H
#define PAPI_CORE_HANDLES_H

#include "core/library.h"

/* Gives a set of the calling thread a handle. The library is locked. PAPI_ENOMEM. */
int handle_give(struct eventset *set, int *handle, struct reason *why);

/* Takes the handle back. The library is locked. */
void handle_take(int handle);

/* Why a handle is no event set of this thread; the reason goes to the thread. */
int handle_refused(int handle) __attribute__((cold));

/* The calling thread's event set of a handle: no lock and no system call. */
static inline int handle_find(int handle, struct eventset **set)
{
    unsigned place = (unsigned)handle & (MAX_SLOTS - 1);
    *set = NULL;
    const struct slot *chunk = papi_library.chunk[place >> CHUNK_BITS];
    if (__builtin_expect(handle < 0 || chunk == NULL, 0))
        return handle_refused(handle);
    const struct slot *slot = &chunk[place & (CHUNK_SLOTS - 1)];
    if (__builtin_expect(slot->handle != handle || slot->owner != papi_thread_pointer, 0))
        return handle_refused(handle);
    *set = slot->set;
    return PAPI_OK;
}

#endif
