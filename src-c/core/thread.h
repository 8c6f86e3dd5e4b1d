/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_CORE_THREAD_H
#define PAPI_CORE_THREAD_H

#include "base/reason.h"
#include "papi.h"

struct eventset;

/* What a thread has: its event sets, its last error, its user's pointers. It lives in the thread's
 * own storage, is listed in the library from the thread's first call that needs it, and is emptied
 * when the thread ends or the library is shut down. */
struct papi_thread {
    int registered;
    struct papi_thread *next, *previous;
    struct eventset *sets; /* its event sets, linked */
    void *specific[PAPI_TLS_NUM];
    struct reason why;   /* of the call that runs */
    int last_error;      /* of the last call that failed */
    char last_text[512]; /* its reason, or "" */
    char error_text[640];
};

extern _Thread_local struct papi_thread papi_self;

/* Lists the calling thread in the library. PAPI_ENOINIT. */
int thread_register(void);

/* Destroys all that a thread has and takes it off the list. The library is locked. */
void thread_release(struct papi_thread *thread);

/* Runs at the end of a thread (key destructor); the argument is its struct papi_thread. */
void thread_ended(void *thread);

#endif
