/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/thread.h"
#include "core/eventset.h"
#include "core/library.h"

#include <stdlib.h>
#include <string.h>

_Thread_local struct papi_thread papi_self;

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
    int code = PAPI_OK;
    if (papi_self.registered)
        return PAPI_OK;
    pthread_mutex_lock(&papi_library.lock);
    if (!library_ready()) {
        code = reason_set(&papi_self.why, PAPI_ENOINIT, "PAPI_library_init has not been called");
    } else {
        link_thread(&papi_self);
        papi_self.registered = 1;
        /* The key's destructor is what tells that the thread ends. */
        pthread_setspecific(papi_library.thread_key, &papi_self);
    }
    pthread_mutex_unlock(&papi_library.lock);
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

void thread_ended(void *argument)
{
    struct papi_thread *thread = argument;
    pthread_mutex_lock(&papi_library.lock);
    if (thread->registered)
        thread_release(thread);
    pthread_mutex_unlock(&papi_library.lock);
}
