/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_CORE_HANDLES_H
#define PAPI_CORE_HANDLES_H

#include "core/library.h"

/* Gives a set of the calling thread a handle. The library is locked. PAPI_ENOMEM. */
int handle_give(struct eventset *set, int *handle, struct reason *why);

/* Takes the handle back. The library is locked. */
void handle_take(int handle);

/* Finds an event set in the table: all but the calling thread's last one. PAPI_ENOINIT,
 * PAPI_ENOEVST with the reason for the thread. */
int handle_search(int handle, struct eventset **set);

/* The calling thread's event set of a handle: no lock and no system call. */
static inline int handle_find(int handle, struct eventset **set)
{
    const struct papi_thread *self = papi_thread_pointer;
    if (__builtin_expect(self == NULL || self->last_handle != handle || self->last_set == NULL, 0))
        return handle_search(handle, set);
    *set = self->last_set;
    return PAPI_OK;
}

#endif
