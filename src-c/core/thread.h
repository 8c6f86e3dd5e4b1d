/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_CORE_THREAD_H
#define PAPI_CORE_THREAD_H

#include "base/reason.h"
#include "papi.h"

struct eventset;
struct slot;
struct times;

/* What a thread has: its event sets, its last error, its user's pointers. Made by the thread's first
 * call that needs it, listed in the library while the library is initialised, emptied by a shutdown,
 * and freed when the thread ends. */
struct papi_thread {
    const struct slot *_Atomic last_slot; /* of the event set that it used last; &handle_none: none */
    int registered;
    struct papi_thread *next, *previous;
    struct eventset *sets;                /* its event sets, linked */
    void *_Atomic specific[PAPI_TLS_NUM]; /* other threads may list them */
    _Atomic unsigned long number;         /* PAPI_list_threads: the user's, or else the kernel's */
    struct times *times;                  /* recorded clocks; NULL: none */
    int times_tried;
    struct reason why;   /* of the call that runs */
    int last_error;      /* of the last call that failed */
    char last_text[512]; /* its reason, or "" */
    int in_handler;      /* the program's handler of errors is running */
    char error_text[640];
};

/* Only a pointer: a library that is opened at run time finds little room for thread-local data. */
extern _Thread_local struct papi_thread *papi_thread_pointer;

struct papi_thread *thread_make(void) __attribute__((cold));

/* The calling thread's; never NULL. */
static inline struct papi_thread *thread_self(void)
{
    struct papi_thread *self = papi_thread_pointer;
    return __builtin_expect(self != NULL, 1) ? self : thread_make();
}

/* Lists the calling thread in the library. PAPI_ENOINIT. */
int thread_register(void);

/* Destroys all that a thread has and takes it off the list. The library is locked. */
void thread_release(struct papi_thread *thread);

/* Asks the user's function for the number of the calling thread, where there is one. No lock. */
void thread_note_number(void);

/* Lists the numbers of all registered threads, and their pointers of a tag, as far as there is room;
 * ids and data may be NULL. Returns how many threads there are. The library is locked. */
int thread_list(unsigned long *ids, void **data, int tag, int room);

/* In the child of a fork: the calling thread is another one to the kernel. Async-signal-safe. */
void thread_after_fork(void);

/* The same, and frees it. The library is locked. */
void thread_destroy(struct papi_thread *thread);

#endif
