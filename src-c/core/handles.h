/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "core/library.h"

/* Assigns a handle to a set of the calling thread. The library is locked. PAPI_ENOMEM. */
int handle_give(struct eventset *set, int *handle, struct reason *why);

/* Closes a handle: nobody finds the set by it any more, and it is not given to another set before it is taken
 * back. The library is locked. */
void handle_close(int handle);

/* Takes the handle back, in the set's own thread. The library is locked. */
void handle_take(int handle);

/* Finds an event set in the table: all but the calling thread's last one. NULL: PAPI_ENOINIT or
 * PAPI_ENOEVST is in the thread's reason. */
struct eventset *handle_search(int handle);

/* A slot that has no handle. */
extern const struct slot handle_none;

/* The calling thread's event set of a handle, or NULL: no lock and no system call. The last one is noted
 * as one pointer: a handler of overflows may use another event set at any instruction here. */
static inline struct eventset *handle_set(int handle)
{
    const struct slot *slot = atomic_load_explicit(&papi_last_slot, memory_order_relaxed);
    if (unlikely(atomic_load_explicit(&slot->handle, memory_order_relaxed) != handle))
        return handle_search(handle);
    if (slot->set == NULL) /* a slot that has a handle has a set: the callers need not look again */
        __builtin_unreachable();
    return slot->set;
}

/* The code of the refusal that just was. */
static inline int handle_refusal(void)
{
    /* The reason may be gone if there is no memory for a thread's object. */
    int code = thread_self()->why.code;
    return code < 0 ? code : PAPI_ENOMEM;
}

/* Finds a set, or returns the code of the refusal. */
static inline int handle_find(int handle, struct eventset **set)
{
    *set = handle_set(handle);
    return *set != NULL ? PAPI_OK : handle_refusal();
}
