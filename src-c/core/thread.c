/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads: their objects, and who frees what.
 *
 * A thread's object holds its event sets, which the thread uses without a lock, also in signal handlers. So
 * no other thread may free them, and the thread itself may not while one of its own calls on them is
 * interrupted. PAPI_shutdown, in whatever thread, therefore only closes the sets of others: they stop
 * counting and their handles become invalid. The owner destroys closed sets in thread_sweep, at its next call
 * that registers it or shuts down, or at its end; never inside of a handler of overflows. Whether one runs is
 * known by a flag, and where that is set, by the signal mask: a handler that was left by siglongjmp leaves
 * the flag set and the signal unblocked.
 *
 * The end of a thread is learned from the destructor of a key of thread-specific data. In the child of a fork
 * only the calling thread exists; it frees the objects of the others, whose counters were the parent's.
 */
#include "core/thread.h"
#include "base/likely.h"
#include "base/list.h"
#include "base/syscall.h"
#include "core/eventset.h"
#include "core/handles.h"
#include "core/library.h"
#include "core/sampler.h"
#include "core/times.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

_Thread_local struct papi_thread *papi_thread_pointer;
_Thread_local const struct slot *_Atomic papi_last_slot = &handle_none;

/* The object that threads share for which there is no memory, so that they can be told so. */
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

/* Finds the key of the process. False: the program has all keys, and the next call tries again. Whoever makes
 * it first makes it for all. */
static bool find_key(pthread_key_t *key)
{
    unsigned long known = papi_library.thread_key;
    if (known == 0 && pthread_key_create(key, thread_ended) == 0) {
        if (atomic_compare_exchange_strong(&papi_library.thread_key, &known, *key + 1UL))
            return true;
        pthread_key_delete(*key);
    }
    *key = (pthread_key_t)(known - 1);
    return known != 0;
}

/* Lists a thread's object in the library. A thread's first call may have taken the lock already. */
static void list_thread(struct papi_thread *thread)
{
    int mine = lock_mine(&papi_library.lock);
    if (!mine) {
        library_prepare(NULL);
        library_lock();
    }
    LIST_PUT_FIRST(&papi_library.threads, thread);
    if (!mine)
        library_unlock();
}

struct papi_thread *thread_make(void)
{
    int saved = errno;
    pthread_key_t key;
    struct papi_thread *self = find_key(&key) ? calloc(1, sizeof *self) : NULL;
    /* The key's destructor is what tells that the thread ends. */
    if (self != NULL && pthread_setspecific(key, self) != 0) {
        free(self);
        self = NULL;
    }
    papi_thread_pointer = self;
    if (self != NULL)
        list_thread(self);
    errno = saved;
    return self != NULL ? self : without_memory();
}

static int has_no_object(struct reason *why)
{
    if (papi_library.thread_key == 0)
        return reason_set(why, PAPI_ENOMEM,
                          "the program has all keys of thread-specific data (pthread_key_create, "
                          "PTHREAD_KEYS_MAX), and the library needs one: delete one and call again");
    return reason_set(why, PAPI_ENOMEM, "out of memory");
}

int thread_usable(struct reason *why)
{
    return thread_self() != without_memory() ? PAPI_OK : has_no_object(why);
}

/* Registers the calling thread. The object is asked for once: if it could not be made, a second try might
 * give another one. */
int thread_register(void)
{
    struct papi_thread *self = thread_self();
    int code = PAPI_OK;
    if (likely(self->registered && !self->has_closed))
        return PAPI_OK;
    if (self == without_memory())
        return has_no_object(&self->why);
    library_lock();
    int known = self->registered;
    thread_sweep(self);
    if (library_ready() && !known) {
        self->registered = 1;
        self->number = (unsigned long)system_call(SYS_gettid, 0, 0, 0);
    } else if (!library_ready()) {
        code = reason_set(&self->why, PAPI_ENOINIT, "PAPI_library_init has not been called");
    }
    library_unlock();
    if (code == PAPI_OK && !known)
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
    for (const struct papi_thread *thread = papi_library.threads; thread != NULL; thread = thread->next) {
        if (!thread->registered)
            continue;
        if (ids != NULL && n < room)
            ids[n] = thread->number;
        if (data != NULL && n < room)
            data[n] = thread->specific[tag];
        n++;
    }
    return n;
}

void thread_after_fork(void)
{
    if (papi_thread_pointer != NULL && papi_library.thread_id == NULL)
        papi_thread_pointer->number = (unsigned long)system_call(SYS_gettid, 0, 0, 0);
}

static void destroy_sets(struct papi_thread *thread, bool all)
{
    struct eventset *next;
    for (struct eventset *set = thread->sets; set != NULL; set = next) {
        next = set->next;
        if (all || set->closed)
            eventset_destroy(set);
    }
    samplers_sweep(thread, all);
    thread->has_closed = 0;
}

/* A signal is blocked as long as its handler runs, unless the handler was left by siglongjmp. */
static __attribute__((cold)) void forget_left_handlers(struct papi_thread *self)
{
    sigset_t blocked;
    bool by_lock = lock_mine(&papi_library.lock) && papi_library.held;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    self->handling = sigismember(&blocked, OVERFLOW_SIGNAL) && !by_lock;
}

bool thread_in_handler(struct papi_thread *self)
{
    if (unlikely(self->handling))
        forget_left_handlers(self);
    return self->handling;
}

void thread_sweep(struct papi_thread *self)
{
    if (!thread_in_handler(self))
        destroy_sets(self, false);
}

bool thread_drop_retired(struct papi_thread *self)
{
    if (!thread_in_handler(self))
        free(atomic_exchange(&self->retired, NULL));
    return self->retired == NULL;
}

void thread_give_back(struct papi_thread *self)
{
    thread_sweep(self);
    thread_drop_retired(self);
}

void thread_release(struct papi_thread *thread)
{
    void *high_level = atomic_exchange(&thread->specific[PAPI_TLS_HIGH_LEVEL], NULL);
    if (high_level != NULL)
        thread->retired = high_level;
    for (int tag = 0; tag < PAPI_TLS_NUM; tag++)
        thread->specific[tag] = NULL;
    thread->registered = 0;
    for (struct eventset *set = thread->sets; set != NULL; set = set->next)
        if (!set->closed)
            eventset_close(set);
    samplers_close(thread);
}

void thread_destroy(struct papi_thread *thread)
{
    destroy_sets(thread, true);
    LIST_TAKE_OUT(thread);
    free(thread->specific[PAPI_TLS_HIGH_LEVEL]);
    free(thread->retired);
    times_close(thread->times);
    if (thread == papi_thread_pointer)
        papi_thread_pointer = NULL;
    free(thread);
}
