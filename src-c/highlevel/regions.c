/* SPDX-License-Identifier: BSD-3-Clause */
#include "highlevel/regions.h"
#include "api/client.h"
#include "base/likely.h"
#include "highlevel/highlevel.h"

#include <string.h>

/* ---- the calling thread */

/* Prepares regions, in the rare case that those of the process or the thread are not there yet, or do not
 * count. NULL with code set; PAPI_OK where this thread is not to be recorded. */
static __attribute__((noinline)) struct region_thread *prepare(int *code)
{
    struct regions *regions = regions_get();
    struct highlevel *hl;
    *code = highlevel_get(&hl); /* initialises the library */
    if (*code == PAPI_OK && regions == NULL)
        *code = client_failed(PAPI_ENOMEM, "out of memory");
    if (*code != PAPI_OK ||
        (!regions->settings.all_threads && !pthread_equal(regions->first_thread, pthread_self())))
        return NULL;
    struct region_thread *thread = pthread_getspecific(regions->key);
    if (thread != NULL && thread->regions != regions) {
        regions_stop(thread); /* the parent's, in the child of a fork */
        thread = NULL;
    }
    if (thread == NULL)
        thread = regions_thread_make(regions, code);
    if (thread != NULL && !thread->started)
        regions_start(thread);
    return thread;
}

/* True if the thread's object is of these regions: in the child of a fork it may be the parent's. */
static inline bool belongs(const struct region_thread *thread, const struct regions *regions)
{
    return thread != NULL && thread->regions == regions;
}

static __attribute__((noinline)) struct region_thread *find_by_key(struct regions *regions)
{
    struct region_thread *thread = regions != NULL ? pthread_getspecific(regions->key) : NULL;
    void **slot = client_thread_slot();
    if (!belongs(thread, regions))
        return NULL;
    if (slot != NULL)
        *slot = thread;
    return thread;
}

static inline struct region_thread *find(struct regions *regions)
{
    void **slot = client_thread_slot();
    struct region_thread *thread = slot != NULL ? *slot : NULL;
    return likely(belongs(thread, regions)) ? thread : find_by_key(regions);
}

static __attribute__((cold)) int nameless(const char *region)
{
    return client_failed(PAPI_EINVAL,
                         region == NULL ? "the name of the region is NULL" : "the region has no name");
}

/* Takes the code of a set that has failed during a call, so that it is reported once. The record of the error
 * is that of the failing call. */
static inline int outcome(struct region_thread *thread)
{
    int code = thread->failed;
    thread->failed = PAPI_OK;
    return code;
}

static void count(_Atomic long long *counter)
{
    /* Only the thread itself changes it: no locked instruction. */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* ---- begin */

static __attribute__((cold)) int refuse(struct region_thread *thread)
{
    thread->refused++;
    count(&thread->not_recorded);
    return client_failed(PAPI_ENOMEM, "there is no memory for another region");
}

int PAPI_hl_region_begin(const char *region)
{
    int code;
    if (region == NULL || region[0] == '\0')
        return nameless(region);
    struct region_thread *thread = find(regions_existing());
    if ((thread == NULL || !thread->started) && (thread = prepare(&code)) == NULL)
        return code;
    count(&thread->calls);
    struct region_frame *frame = thread->refused == 0 ? regions_enter(thread, region) : NULL;
    if (frame == NULL)
        return refuse(thread);
    regions_sample(thread, frame->begin);
    regions_open(thread, frame);
    return outcome(thread);
}

/* ---- read, end */

static __attribute__((cold)) int misplaced(struct region_thread *thread, const char *function,
                                           const char *region, const struct region_frame *open)
{
    count(&thread->misplaced);
    regions_say(thread->regions, "%s(\"%s\"): %s%s%s", function, region,
                open == NULL ? "no region is open in this thread" : "the region that was begun last is \"",
                open == NULL ? "" : open->entry->name, open == NULL ? "" : "\"");
    if (open == NULL)
        return client_failed(PAPI_EINVAL, "\"%.100s\" is not open: no region is open in this thread", region);
    return client_failed(PAPI_EINVAL,
                         "\"%.100s\" is not the region that was begun last and is still open in "
                         "this thread: that is \"%.100s\"",
                         region, open->entry->name);
}

static __attribute__((cold)) int not_recorded(struct region_thread *thread, bool end)
{
    if (end)
        thread->refused--;
    return client_failed(PAPI_ENOMEM, "there was no memory for this region");
}

/* The calling thread, if its innermost open region is this one; else NULL, with the code. */
static inline __attribute__((always_inline)) struct region_thread *
enter_open(const char *function, const char *region, bool end, int *code)
{
    if (region == NULL || region[0] == '\0') {
        *code = nameless(region);
        return NULL;
    }
    struct region_thread *thread = find(regions_existing());
    if (unlikely(thread == NULL) && (thread = prepare(code)) == NULL)
        return NULL;
    const struct region_frame *open = atomic_load_explicit(&thread->innermost, memory_order_relaxed);
    if (unlikely(thread->refused > 0))
        *code = not_recorded(thread, end);
    else if (unlikely(open == NULL || strcmp(open->entry->name, region) != 0))
        *code = misplaced(thread, function, region, open);
    else {
        count(&thread->calls);
        return thread;
    }
    return NULL;
}

int PAPI_hl_read(const char *region)
{
    int code;
    struct region_thread *thread = enter_open("PAPI_hl_read", region, false, &code);
    if (thread == NULL)
        return code;
    regions_sample(thread, thread->sample);
    code = regions_keep_read(thread, thread->sample);
    if (code == PAPI_OK)
        return outcome(thread);
    count(&thread->not_recorded);
    return client_failed(code, "there is no memory for another reading");
}

int PAPI_hl_region_end(const char *region)
{
    int code;
    struct region_thread *thread = enter_open("PAPI_hl_region_end", region, true, &code);
    if (thread == NULL)
        return code;
    regions_sample(thread, thread->sample);
    regions_leave(thread, thread->sample);
    return outcome(thread);
}

/* ---- stop */

int PAPI_hl_stop(void)
{
    struct regions *regions = regions_existing();
    struct region_thread *thread = find(regions);
    if (regions == NULL || regions_calls(regions) == 0)
        return client_failed(PAPI_ENOTRUN, "no region was begun");
    const struct region_frame *open = thread != NULL ? atomic_load(&thread->innermost) : NULL;
    if (open != NULL)
        return client_failed(PAPI_EISRUN, "the region \"%.100s\" is open: PAPI_hl_region_end ends it",
                             open->entry->name);
    if (thread != NULL && thread->started)
        regions_stop(thread);
    regions_lock(regions);
    int code = regions_write(regions);
    regions_unlock(regions);
    return code;
}
