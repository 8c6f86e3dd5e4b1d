/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_CORE_HANDLES_H
#define PAPI_CORE_HANDLES_H

#include "core/library.h"

/* Gives a set of the calling thread a handle. The library is locked. PAPI_ENOMEM. */
int handle_give(struct eventset *set, int *handle, struct reason *why);

/* Takes the handle back. The library is locked. */
void handle_take(int handle);

/* Finds an event set in the table: all but the calling thread's last one. NULL: PAPI_ENOINIT or
 * PAPI_ENOEVST is in the thread's reason. */
struct eventset *handle_search(int handle);

/* The calling thread's event set of a handle, or NULL: no lock and no system call. */
static inline struct eventset *handle_set(int handle)
{
    const struct papi_thread *self = papi_thread_pointer;
    if (__builtin_expect(self == NULL || self->last_handle != handle || self->last_set == NULL, 0))
        return handle_search(handle);
    return self->last_set;
}

/* The code of the refusal that just was. */
static inline int handle_refusal(void)
{
    /* Without memory for a thread's object its reason may be gone. */
    int code = thread_self()->why.code;
    return code < 0 ? code : PAPI_ENOMEM;
}

/* The same with a code. */
static inline int handle_find(int handle, struct eventset **set)
{
    *set = handle_set(handle);
    return *set != NULL ? PAPI_OK : handle_refusal();
}

#endif
