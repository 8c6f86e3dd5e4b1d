/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "base/likely.h"
#include "core/eventset.h"

int PAPI_library_init(int version)
{
    int code = thread_usable(api_why()) ?: library_init(version, api_why());
    if (code >= 0)
        thread_register();
    return api_result(code);
}

int PAPI_is_initialized(void)
{
    return atomic_load(&papi_library.level);
}

void PAPI_shutdown(void)
{
    library_shutdown();
}

/* ---- threads */

int PAPI_thread_init(unsigned long (*id_fn)(void))
{
    int code = api_ready() ?: api_not_null((const void *)(uintptr_t)id_fn, "the thread id function");
    code = code ?: api_lock_if_ready();
    if (code != PAPI_OK)
        return api_failed(code);
    papi_library.thread_id = id_fn;
    papi_library.level |= PAPI_THREAD_LEVEL_INITED;
    library_unlock();
    thread_note_number();
    return PAPI_OK;
}

unsigned long PAPI_thread_id(void)
{
    unsigned long (*id_fn)(void) = papi_library.thread_id;
    if (id_fn == NULL)
        return (unsigned long)api_failed(
            reason_set(api_why(), PAPI_EMISC, "PAPI_thread_init has not been called"));
    unsigned long number = id_fn();
    thread_self()->number =
        number; /* not in one expression: the number is atomic, which clang says of its value */
    return number;
}

int PAPI_register_thread(void)
{
    int known = thread_self()->registered;
    int code = thread_register();
    if (code == PAPI_OK && known)
        thread_note_number();
    return api_result(code);
}

int PAPI_unregister_thread(void)
{
    int code = api_ready();
    for (struct eventset *set = thread_self()->sets; code == PAPI_OK && set != NULL; set = set->next)
        if (eventset_runs(set))
            code = reason_set(api_why(), PAPI_EISRUN, "event set %d of this thread is running", set->handle);
    if (code != PAPI_OK)
        return api_failed(code);
    library_lock();
    if (thread_self()->registered) {
        thread_release(thread_self());
        thread_give_back(thread_self());
    }
    library_unlock();
    return PAPI_OK;
}

static int check_room(int room)
{
    if (room >= 0)
        return PAPI_OK;
    return reason_set(api_why(), PAPI_EINVAL, "room for %d threads", room);
}

int PAPI_list_threads(PAPI_thread_id_t *ids, int *number)
{
    int code = api_ready() ?: api_not_null(number, "the number of threads") ?: check_room(*number);
    code = code ?: api_lock_if_ready();
    if (code != PAPI_OK)
        return api_failed(code);
    *number = thread_list(ids, NULL, 0, *number);
    library_unlock();
    return PAPI_OK;
}

/* ---- thread-specific pointers */

/* Place in which the calling thread keeps the pointer of a tag; NULL with *code set. */
static void *_Atomic *specific(int tag, int *code)
{
    *code = thread_register();
    if (*code != PAPI_OK)
        return NULL;
    if (unlikely(thread_self()->retired != NULL) && !thread_drop_retired(thread_self()) &&
        tag == PAPI_TLS_HIGH_LEVEL) {
        *code = reason_set(api_why(), PAPI_ENOINIT,
                           "the library was shut down while this handler's thread used the high-level "
                           "interface: call it again outside the handler");
        return NULL;
    }
    if (tag >= 0 && tag < PAPI_TLS_NUM)
        return &thread_self()->specific[tag];
    *code = reason_set(api_why(), PAPI_EINVAL, "%d is not a tag of a thread-specific pointer", tag);
    return NULL;
}

/* The pointers of all threads. */
static int get_all(int tag, PAPI_all_thr_spec_t *all)
{
    int code;
    specific(tag & ~PAPI_TLS_ALL_THREADS, &code);
    code = code ?: api_not_null(all, "ptr") ?: check_room(all->num);
    if (code != PAPI_OK)
        return code;
    library_lock();
    all->num = thread_list(all->id, all->data, tag & ~PAPI_TLS_ALL_THREADS, all->num);
    library_unlock();
    return PAPI_OK;
}

int PAPI_get_thr_specific(int tag, void **ptr)
{
    int code;
    if (tag > 0 && tag & PAPI_TLS_ALL_THREADS)
        return api_result(get_all(tag, (PAPI_all_thr_spec_t *)ptr));
    void *_Atomic *place = specific(tag, &code);
    if (place == NULL || ptr == NULL)
        return api_failed(code ?: api_null("ptr"));
    *ptr = *place;
    return PAPI_OK;
}

int PAPI_set_thr_specific(int tag, void *ptr)
{
    int code;
    void *_Atomic *place = specific(tag, &code);
    if (place == NULL)
        return api_failed(code);
    *place = ptr;
    if (tag == PAPI_TLS_HIGH_LEVEL && ptr != NULL && api_lock_if_ready() == PAPI_OK) {
        papi_library.level = (papi_library.level & PAPI_THREAD_LEVEL_INITED) | PAPI_HIGH_LEVEL_INITED;
        library_unlock();
    }
    return PAPI_OK;
}

/* ---- locks */

static int check_lock(int lock)
{
    if (lock >= 0 && lock < PAPI_LOCK_NUM)
        return PAPI_OK;
    return reason_set(api_why(), PAPI_EINVAL, "%d is not a lock (PAPI_LOCK_USR1 and PAPI_LOCK_USR2 are)",
                      lock);
}

/* api_why makes the thread's object, whose end gives the lock back. */
int PAPI_lock(int lock)
{
    int code = check_lock(lock) ?: library_prepare(api_why());
    if (code == PAPI_OK)
        user_lock_take(lock);
    return api_result(code);
}

int PAPI_unlock(int lock)
{
    int code = check_lock(lock);
    if (code == PAPI_OK && user_lock_give(lock) != 0)
        code = reason_set(api_why(), PAPI_EPERM, "this thread has not got lock %d", lock);
    return api_result(code);
}
