/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/thread.h"
#include "base/syscall.h"
#include "core/eventset.h"
#include "core/handles.h"
#include "core/library.h"
#include "core/times.h"

#include <errno.h>
#include <stdlib.h>

_Thread_local struct papi_thread *papi_thread_pointer;

/* Shared by the threads for which there is no memory: they can still be told so. */
static struct papi_thread *without_memory(void)
{
    return &papi_library.spare_thread;
}

static void thread_ended(void *thread)
{
    user_locks_give_back();
    library_lock();
    thread_destroy(thread);
    library_unlock();
}

static void make_key(void)
{
    papi_library.key_made = pthread_key_create(&papi_library.thread_key, thread_ended) == 0;
}

struct papi_thread *thread_make(void)
{
    int saved = errno;
    pthread_once(&papi_library.key_once, make_key);
    struct papi_thread *self = papi_library.key_made ? calloc(1, sizeof *self) : NULL;
    if (self != NULL)
        self->last_slot = &handle_none;
    /* The key's destructor is what tells that the thread ends. */
    if (self != NULL && pthread_setspecific(papi_library.thread_key, self) != 0) {
        free(self);
        self = NULL;
    }
    papi_thread_pointer = self;
    errno = saved;
    return self != NULL ? self : without_memory();
}

static void link_thread(struct papi_thread *thread)
{
    thread->previous = NULL;
    thread->next = papi_library.threads;
    if (thread->next != NULL)
        thread->next->previous = thread;
    papi_library.threads = thread;
}

static void unlink_thread(struct papi_thread *thread)
{
    if (thread->previous != NULL)
        thread->previous->next = thread->next;
    else
        papi_library.threads = thread->next;
    if (thread->next != NULL)
        thread->next->previous = thread->previous;
}

int thread_register(void)
{
    struct papi_thread *self = thread_self();
    int code = PAPI_OK;
    if (self->registered)
        return PAPI_OK;
    if (self == without_memory())
        return reason_set(&self->why, PAPI_ENOMEM, "out of memory");
    library_lock();
    if (library_ready()) {
        link_thread(self);
        self->registered = 1;
        self->number = (unsigned long)system_call(SYS_gettid, 0, 0, 0);
    } else {
        code = reason_set(&self->why, PAPI_ENOINIT, "PAPI_library_init has not been called");
    }
    library_unlock();
    if (code == PAPI_OK)
        thread_note_number();
    return code;
}

void thread_note_number(void)
{
    unsigned long (*number)(void) = papi_library.thread_id;
    if (number != NULL)
        thread_self()->number = number();
}

int thread_list(unsigned long *ids, void **data, int tag, int room)
{
    int n = 0;
    for (const struct papi_thread *thread = papi_library.threads; thread != NULL;
         thread = thread->next, n++) {
        if (ids != NULL && n < room)
            ids[n] = thread->number;
        if (data != NULL && n < room)
            data[n] = thread->specific[tag];
    }
    return n;
}

void thread_after_fork(void)
{
    if (papi_thread_pointer != NULL && papi_library.thread_id == NULL)
        papi_thread_pointer->number = (unsigned long)system_call(SYS_gettid, 0, 0, 0);
}

void thread_release(struct papi_thread *thread)
{
    while (thread->sets != NULL)
        eventset_destroy(thread->sets);
    free(thread->specific[PAPI_TLS_HIGH_LEVEL]);
    for (int tag = 0; tag < PAPI_TLS_NUM; tag++)
        thread->specific[tag] = NULL;
    unlink_thread(thread);
    thread->registered = 0;
}

void thread_destroy(struct papi_thread *thread)
{
    if (thread->registered)
        thread_release(thread);
    times_close(thread->times);
    if (thread == papi_thread_pointer)
        papi_thread_pointer = NULL;
    free(thread);
}
