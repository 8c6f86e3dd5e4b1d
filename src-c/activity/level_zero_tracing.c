/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work that a program has Intel's devices do: each kernel and copy that is appended to a list of commands
 * signals an event with the times of the device's clock. Where the program has none for it, it gets one of
 * this library's (level_zero_work.c).
 */
#include "activity/activity.h"
#include "activity/level_zero_work.h"
#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* This thread's call that appends work, between its begin and its end; and a pool that it creates. */
static _Thread_local struct {
    bool own_call; /* a call of this library's, which is not traced */
    bool appends;
    struct lz_entry entry;
    bool timed_pool;
    struct lz_event_pool pool;
} thread;

/* ---- around calls */

static void begin_own(void)
{
    thread.own_call = true;
    pthread_mutex_lock(&level_zero()->lock);
}

static void end_own(void)
{
    pthread_mutex_unlock(&level_zero()->lock);
    thread.own_call = false;
}

static bool is_traced(void)
{
    return activity.started && !thread.own_call;
}

static void *argument(void **parameter, int i)
{
    return *(void **)parameter[i];
}

static void enter(void **parameter, int result, void *of_tracer, void **of_call)
{
    (void)parameter, (void)result, (void)of_tracer, (void)of_call;
    if (is_traced())
        activity_enter(ACTIVITY_INTEL, 0);
}

static void leave(void **parameter, int result, void *of_tracer, void **of_call)
{
    (void)parameter, (void)result, (void)of_tracer, (void)of_call;
    if (is_traced())
        activity_leave();
}

#define AROUND(name) static void name(void **parameter, int result, void *of_tracer, void **of_call)

/* Defines a callback that does something before the call, as the library, and not as the program. */
#define BEFORE(name)                                                                                         \
    static void do_##name(void **parameter);                                                                 \
    AROUND(name)                                                                                             \
    {                                                                                                        \
        enter(parameter, result, of_tracer, of_call);                                                        \
        if (!is_traced())                                                                                    \
            return;                                                                                          \
        begin_own();                                                                                         \
        do_##name(parameter);                                                                                \
        end_own();                                                                                           \
    }                                                                                                        \
    static void do_##name(void **parameter)

#define UNUSED_AROUND (void)parameter, (void)result, (void)of_tracer, (void)of_call

/* ---- work is appended */

static char *name_of(void *kernel)
{
    char name[512] = "";
    size_t size = sizeof name;
    if (activity.watcher == NULL || lz_call()->kernel_name(kernel, &size, name) != LZ_SUCCESS)
        return NULL;
    return strndup(name, sizeof name);
}

static int memory_of(void *context, const void *address, void **device)
{
    struct lz_memory memory = {.structure = (enum lz_structure)LZ_MEMORY};
    *device = NULL;
    return lz_call()->memory(context, address, &memory, device) == LZ_SUCCESS ? memory.type : -1;
}

static enum device_work_kind direction(void *context, const void *to, const void *from)
{
    void *to_device, *from_device;
    if (activity.watcher == NULL)
        return WORK_COPY;
    int target = memory_of(context, to, &to_device), source = memory_of(context, from, &from_device);
    bool to_host = target == LZ_MEMORY_UNKNOWN || target == LZ_MEMORY_OF_HOST,
         from_host = source == LZ_MEMORY_UNKNOWN || source == LZ_MEMORY_OF_HOST;
    if (target == LZ_MEMORY_OF_DEVICE && source == LZ_MEMORY_OF_DEVICE)
        return to_device == from_device ? WORK_COPY_ON : WORK_COPY_OVER;
    return target == LZ_MEMORY_OF_DEVICE && from_host ? WORK_COPY_IN
           : source == LZ_MEMORY_OF_DEVICE && to_host ? WORK_COPY_OUT
                                                      : WORK_COPY;
}

/* Sees to the event of work that is being appended: the program's, whose times of before are taken, or one of
 * this library's. False: it has no times. */
static bool find_event(struct lz_entry *entry, void **event)
{
    uint64_t unused;
    if (*event != NULL) {
        lz_take_those(LZ_OF_EVENT, *event);
        entry->event = *event;
        return lz_handles_get(&level_zero()->timed_events, *event, &unused);
    }
    entry->event = *event = lz_spare_event(entry->of.context);
    entry->own = *event != NULL;
    return entry->own;
}

/* Begins an entry of work that is appended to a list, with the event of the call's parameter. */
static void append(void **parameter, int event, struct lz_entry entry)
{
    struct level_zero *of = level_zero();
    uint64_t place;
    entry.launch = ++of->n_launches;
    thread.entry = entry;
    thread.appends =
        lz_handles_get(&of->lists, argument(parameter, 0), &place) && of->list[place].device >= 0;
    if (thread.appends) {
        thread.entry.of = of->list[place];
        thread.appends = find_event(&thread.entry, parameter[event]);
        of->n_dropped += !thread.appends;
    }
    if (!thread.appends) {
        free(thread.entry.name);
        thread.entry.name = NULL;
    }
}

AROUND(before_kernel)
{
    UNUSED_AROUND;
    if (!is_traced())
        return;
    begin_own();
    append(parameter, 3, (struct lz_entry){.kind = WORK_KERNEL, .name = name_of(argument(parameter, 1))});
    end_own();
    activity_enter(ACTIVITY_INTEL, thread.entry.launch);
}

static void *context_of(void *list)
{
    uint64_t place;
    return lz_handles_get(&level_zero()->lists, list, &place) ? level_zero()->list[place].context : NULL;
}

static void before_copying(void **parameter, int from, int event, uint64_t bytes)
{
    begin_own();
    enum device_work_kind kind = from < 0 ? WORK_SET
                                          : direction(context_of(argument(parameter, 0)),
                                                      argument(parameter, 1), argument(parameter, from));
    append(parameter, event, (struct lz_entry){.kind = kind, .bytes = bytes});
    end_own();
    activity_enter(ACTIVITY_INTEL, thread.entry.launch);
}

AROUND(before_copy)
{
    UNUSED_AROUND;
    if (is_traced())
        before_copying(parameter, 2, 4, *(size_t *)parameter[3]);
}

AROUND(before_fill)
{
    UNUSED_AROUND;
    if (is_traced())
        before_copying(parameter, -1, 5, *(size_t *)parameter[4]);
}

AROUND(before_copy_region)
{
    UNUSED_AROUND;
    const struct lz_region *region = argument(parameter, 2);
    if (is_traced())
        before_copying(parameter, 5, 9,
                       region != NULL ? (uint64_t)region->width * (region->height ?: 1) * (region->depth ?: 1)
                                      : 0);
}

/* Work that the driver did not take is none. */
AROUND(after_append)
{
    struct level_zero *of = level_zero();
    if (is_traced() && thread.appends) {
        begin_own();
        thread.appends = false;
        thread.entry.submitted = thread.entry.of.immediate ? activity_clock() : 0;
        bool kept = result == LZ_SUCCESS && ARRAY_GROW(of->entry, of->n_entries);
        of->n_dropped += result == LZ_SUCCESS && !kept;
        if (kept)
            of->entry[of->n_entries++] = thread.entry;
        else {
            lz_give_back(&thread.entry);
            free(thread.entry.name);
        }
        end_own();
    }
    leave(parameter, result, of_tracer, of_call);
}

/* ---- lists */

static void note_list(void **parameter, int result, bool immediate)
{
    struct level_zero *of = level_zero();
    uint64_t device;
    int i = 0;
    if (result != LZ_SUCCESS)
        return;
    begin_own();
    while (i < of->n_lists && of->list[i].handle != NULL)
        i++;
    if (i < of->n_lists || ARRAY_GROW(of->list, of->n_lists)) {
        of->n_lists += i == of->n_lists;
        bool known = lz_handles_get(&of->units, argument(parameter, 1), &device);
        of->list[i] = (struct lz_list){*(void **)argument(parameter, 3), argument(parameter, 0),
                                       known ? (int)device : -1, immediate};
        if (!lz_handles_put(&of->lists, of->list[i].handle, (uint64_t)i))
            of->list[i].handle = NULL;
    }
    end_own();
}

AROUND(after_list)
{
    if (is_traced())
        note_list(parameter, result, false);
    leave(parameter, result, of_tracer, of_call);
}

AROUND(after_immediate_list)
{
    if (is_traced())
        note_list(parameter, result, true);
    leave(parameter, result, of_tracer, of_call);
}

BEFORE(before_reset_list)
{
    lz_end_those(LZ_OF_LIST, argument(parameter, 0));
}

BEFORE(before_destroy_list)
{
    void *list = argument(parameter, 0);
    uint64_t place;
    lz_end_those(LZ_OF_LIST, list);
    if (lz_handles_get(&level_zero()->lists, list, &place))
        level_zero()->list[place].handle = NULL;
    lz_handles_remove(&level_zero()->lists, list);
}

BEFORE(before_execute)
{
    uint32_t n = *(uint32_t *)parameter[1];
    void **list = argument(parameter, 2);
    for (uint32_t i = 0; list != NULL && i < n; i++)
        lz_submit(list[i]);
}

/* ---- the program's events */

/* A pool that is shared with other processes stays as it is. */
AROUND(before_pool)
{
    enter(parameter, result, of_tracer, of_call);
    const struct lz_event_pool *wanted = argument(parameter, 1);
    thread.timed_pool = wanted != NULL && ((wanted->flags & LZ_POOL_FOR_PROCESSES) == 0 ||
                                           (wanted->flags & LZ_POOL_WITH_TIMES) != 0);
    if (!is_traced() || !thread.timed_pool)
        return;
    thread.pool = *wanted;
    thread.pool.flags |= LZ_POOL_WITH_TIMES;
    *(const struct lz_event_pool **)parameter[1] = &thread.pool;
}

static void note_timed(struct lz_handles *handles, void **parameter, int handle)
{
    begin_own();
    lz_handles_put(handles, *(void **)argument(parameter, handle), 1);
    end_own();
}

AROUND(after_pool)
{
    if (is_traced() && result == LZ_SUCCESS && thread.timed_pool)
        note_timed(&level_zero()->timed_pools, parameter, 4);
    leave(parameter, result, of_tracer, of_call);
}

AROUND(after_event)
{
    uint64_t unused;
    if (is_traced() && result == LZ_SUCCESS) {
        pthread_mutex_lock(&level_zero()->lock);
        bool timed = lz_handles_get(&level_zero()->timed_pools, argument(parameter, 0), &unused);
        pthread_mutex_unlock(&level_zero()->lock);
        if (timed)
            note_timed(&level_zero()->timed_events, parameter, 2);
    }
    leave(parameter, result, of_tracer, of_call);
}

BEFORE(before_destroy_pool)
{
    lz_handles_remove(&level_zero()->timed_pools, argument(parameter, 0));
}

BEFORE(before_reset_event)
{
    lz_take_those(LZ_OF_EVENT, argument(parameter, 0));
}

BEFORE(before_destroy_event)
{
    lz_end_those(LZ_OF_EVENT, argument(parameter, 0));
    lz_handles_remove(&level_zero()->timed_events, argument(parameter, 0));
}

BEFORE(before_destroy_context)
{
    lz_end_those(LZ_OF_CONTEXT, argument(parameter, 0));
    lz_destroy_own(argument(parameter, 0));
}

/* ---- waiting */

AROUND(after_waiting)
{
    if (is_traced()) {
        begin_own();
        lz_take_those(LZ_ALL, NULL);
        end_own();
    }
    leave(parameter, result, of_tracer, of_call);
}

void lz_take_ended(bool all)
{
    begin_own();
    lz_take_those(LZ_ALL, NULL);
    for (int i = 0; all && i < level_zero()->n_entries; i++) {
        struct lz_entry *entry = &level_zero()->entry[i];
        if (entry->submitted != 0)
            activity_unfinished(ACTIVITY_INTEL, entry->of.device);
        entry->submitted = 0; /* it is counted once */
    }
    end_own();
}

void lz_fill_callbacks(struct lz_callbacks *prologues, struct lz_callbacks *epilogues)
{
    static const struct {
        enum lz_call call;
        lz_callback *before, *after;
    } special[] = {
        {LZ_APPEND_KERNEL, before_kernel, after_append},
        {LZ_APPEND_COOPERATIVE_KERNEL, before_kernel, after_append},
        {LZ_APPEND_KERNEL_INDIRECT, before_kernel, after_append},
        {LZ_APPEND_COPY, before_copy, after_append},
        {LZ_APPEND_FILL, before_fill, after_append},
        {LZ_APPEND_COPY_REGION, before_copy_region, after_append},
        {LZ_LIST_CREATE, enter, after_list},
        {LZ_LIST_CREATE_IMMEDIATE, enter, after_immediate_list},
        {LZ_LIST_RESET, before_reset_list, leave},
        {LZ_LIST_DESTROY, before_destroy_list, leave},
        {LZ_QUEUE_EXECUTE, before_execute, leave},
        {LZ_POOL_CREATE, before_pool, after_pool},
        {LZ_POOL_DESTROY, before_destroy_pool, leave},
        {LZ_EVENT_CREATE, enter, after_event},
        {LZ_EVENT_RESET, before_reset_event, leave},
        {LZ_EVENT_DESTROY, before_destroy_event, leave},
        {LZ_CONTEXT_DESTROY, before_destroy_context, leave},
        {LZ_QUEUE_SYNCHRONIZE, enter, after_waiting},
        {LZ_FENCE_SYNCHRONIZE, enter, after_waiting},
        {LZ_EVENT_SYNCHRONIZE, enter, after_waiting},
    };
    for (int i = 0; i < LZ_CALLS; i++) {
        prologues->call[i] = enter;
        epilogues->call[i] = leave;
    }
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        prologues->call[special[i].call] = special[i].before;
        epilogues->call[special[i].call] = special[i].after;
    }
}
