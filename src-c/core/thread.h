/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "base/reason.h"
#include "papi.h"
#include <stdbool.h>

struct eventset;
struct sampler;
struct slot;
struct times;

/* The state of a thread: its event sets, its last error, its user's pointers. It is created by the thread's
 * first call that needs it, listed in the library, and freed when the thread ends, also by the child of a
 * fork, which has the calling thread alone. It is registered while it uses a library that is initialised.
 *   Only the thread itself frees what is in here, since only it knows that it is not using it: a call on its
 * event sets takes no lock, and its signals interrupt it anywhere. Another thread's shutdown closes the sets;
 * the owner sweeps them at its next call that registers it or shuts down, or at its end. */
struct papi_thread {
    struct reason why; /* of the call that runs */
    _Atomic int registered;
    _Atomic int has_closed; /* event sets that wait for thread_sweep */
    volatile bool handling; /* the handler of overflows runs */
    struct papi_thread *next, **place;
    struct eventset *sets;                /* its event sets, linked */
    struct sampler *samplers;             /* and samplers, linked */
    int has_parked;                       /* one of them may be parked: eventset.h */
    void *_Atomic specific[PAPI_TLS_NUM]; /* other threads may list them */
    void *client;                         /* see api/client.h */
    void *_Atomic retired;                /* specific[PAPI_TLS_HIGH_LEVEL] of before a shutdown */
    _Atomic unsigned long number;         /* PAPI_list_threads: the user's, or else the kernel's */
    struct times *times;                  /* recorded clocks; NULL: none */
    int times_tried;
    int last_error;      /* of the last call that failed */
    int last_advice;     /* of its reason; 0: none */
    char last_text[512]; /* its reason, or "" */
    char unknown[128];   /* the last name of an event that does not exist; what does not fit is left out */
    int in_handler;      /* the program's handler of errors is running */
    int quiet;           /* a failure is the library's own trial, of which the program is not told */
    char error_text[1024];
};

/* Thread-local data are pointers only: a library that is opened at run time finds little room for them. */
extern _Thread_local struct papi_thread *papi_thread_pointer;

/* The slot of the event set that the thread used last; &handle_none: none. Not in the thread's object, so
 * that a call on an event set need not ask first whether there is one. */
extern _Thread_local const struct slot *_Atomic papi_last_slot;

struct papi_thread *thread_make(void) __attribute__((cold));

/* The calling thread's; never NULL. */
static inline struct papi_thread *thread_self(void)
{
    struct papi_thread *self = papi_thread_pointer;
    return likely(self != NULL) ? self : thread_make();
}

/* Counts the calling thread among those that use the library. PAPI_ENOINIT, PAPI_ENOMEM. */
int thread_register(void);

/* PAPI_ENOMEM where the calling thread cannot have an object of its own. */
int thread_usable(struct reason *why);

/* Takes from a thread, which may be in a call, all that belongs to the library's life. The library is
 * locked. */
void thread_release(struct papi_thread *thread);

/* True if the calling thread is in a handler of overflows. */
bool thread_in_handler(struct papi_thread *self);

/* Destroys the calling thread's closed event sets, unless it is in a handler. The library is locked. */
void thread_sweep(struct papi_thread *self);

/* Frees the calling thread's pointer of before a shutdown, unless it is in a handler; false: it is still
 * there. */
bool thread_drop_retired(struct papi_thread *self);

/* Asks the user's function for the number of the calling thread, where there is one. No lock. */
void thread_note_number(void);

/* Lists the numbers of all registered threads, and their pointers of a tag, as far as there is room;
 * ids and data may be NULL. Returns how many threads there are. The library is locked. */
int thread_list(unsigned long *ids, void **data, int tag, int room);

/* Does both: sweeps closed sets, and frees what was retired. The library is locked. */
void thread_give_back(struct papi_thread *self);

/* Notes in the child of a fork that the calling thread is another one to the kernel. Async-signal-safe. */
void thread_after_fork(void);

/* Destroys a thread's object with all that it has. The library is locked. */
void thread_destroy(struct papi_thread *thread);
