/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/eventset.h"

int PAPI_library_init(int version)
{
    int result = library_init(version, api_why());
    if (result >= 0)
        thread_register();
    return api_result(result);
}

int PAPI_is_initialized(void)
{
    return atomic_load(&papi_library.level);
}

void PAPI_shutdown(void)
{
    library_shutdown();
}

/* -------------------------------------------------------------------- threads */

int PAPI_thread_init(unsigned long (*id_fn)(void))
{
    int code = api_enter();
    if (code != PAPI_OK)
        return api_result(code);
    if (id_fn == NULL) {
        code = api_null("the thread id function");
    } else {
        papi_library.thread_id = id_fn;
        papi_library.level |= PAPI_THREAD_LEVEL_INITED;
    }
    api_unlock();
    return api_result(code);
}

unsigned long PAPI_thread_id(void)
{
    unsigned long (*id_fn)(void) = papi_library.thread_id;
    if (id_fn != NULL)
        return id_fn();
    return (unsigned long)api_result(
        reason_set(api_why(), PAPI_EMISC, "PAPI_thread_init has not been called"));
}

int PAPI_register_thread(void)
{
    return api_result(thread_register());
}

int PAPI_unregister_thread(void)
{
    int code = api_ready();
    for (struct eventset *set = thread_self()->sets; code == PAPI_OK && set != NULL; set = set->next)
        if (set->state == PAPI_RUNNING)
            code = reason_set(api_why(), PAPI_EISRUN, "event set %d of this thread is running", set->handle);
    if (code != PAPI_OK)
        return api_result(code);
    api_lock();
    if (thread_self()->registered)
        thread_release(thread_self());
    api_unlock();
    return PAPI_OK;
}

/* Where the calling thread keeps the pointer of a tag; NULL with *code set. */
static void **specific(int tag, int *code)
{
    *code = thread_register();
    if (*code != PAPI_OK)
        return NULL;
    if (tag >= 0 && tag < PAPI_TLS_NUM)
        return &thread_self()->specific[tag];
    *code = reason_set(api_why(), PAPI_EINVAL, "%d is no tag of a thread-specific pointer", tag);
    return NULL;
}

int PAPI_get_thr_specific(int tag, void **ptr)
{
    int code;
    void **place = specific(tag, &code);
    if (place != NULL && ptr == NULL)
        code = api_null("ptr");
    else if (place != NULL)
        *ptr = *place;
    return api_result(code);
}

int PAPI_set_thr_specific(int tag, void *ptr)
{
    int code;
    void **place = specific(tag, &code);
    if (place == NULL)
        return api_result(code);
    *place = ptr;
    if (tag == PAPI_TLS_HIGH_LEVEL && ptr != NULL) {
        api_lock();
        if (library_ready())
            papi_library.level = (papi_library.level & PAPI_THREAD_LEVEL_INITED) | PAPI_HIGH_LEVEL_INITED;
        api_unlock();
    }
    return PAPI_OK;
}
