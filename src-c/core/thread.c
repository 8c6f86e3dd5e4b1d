/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/thread.h"
#include "core/eventset.h"
#include "core/library.h"
#include "core/times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Thread_local struct papi_thread *papi_thread_pointer;

/* Shared by the threads for which there is no memory: they can still be told so. */
static struct papi_thread *without_memory(void)
{
    return &papi_library.spare_thread;
}

static void thread_ended(void *thread)
{
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
    } else {
        code = reason_set(&self->why, PAPI_ENOINIT, "PAPI_library_init has not been called");
    }
    library_unlock();
    return code;
}

void thread_release(struct papi_thread *thread)
{
    while (thread->sets != NULL)
        eventset_destroy(thread->sets);
    free(thread->specific[PAPI_TLS_HIGH_LEVEL]);
    memset(thread->specific, 0, sizeof thread->specific);
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
