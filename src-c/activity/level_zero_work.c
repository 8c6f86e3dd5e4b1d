/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events by which work of Intel's devices is seen to end, and the times that they have then. An event's times
 * are taken before the program resets or reuses it, and when it waits.
 */
#include "activity/level_zero_work.h"
#include "activity/activity.h"
#include "base/array.h"

#include <stdlib.h>

/* ---- events of this library's */

static bool make_spare_events(void *context)
{
    enum { EVENTS = 64 };
    struct level_zero *of = level_zero();
    const struct lz_event_pool wanted = {(enum lz_structure)LZ_EVENT_POOL, NULL,
                                         LZ_POOL_WITH_TIMES | LZ_POOL_FOR_HOST, EVENTS};
    void *pool = NULL;
    if (!ARRAY_GROW(of->pool, of->n_pools) ||
        lz_call()->create_pool(context, &wanted, 0, NULL, &pool) != LZ_SUCCESS)
        return false;
    of->pool[of->n_pools++] = (struct lz_own_event){pool, context};
    for (uint32_t i = 0; i < EVENTS && ARRAY_GROW(of->spare, of->n_spare); i++) {
        const struct lz_event event = {(enum lz_structure)LZ_EVENT_IN_POOL, NULL, i, 0, 0};
        struct lz_own_event *spare = &of->spare[of->n_spare];
        if (lz_call()->create_event(pool, &event, &spare->handle) != LZ_SUCCESS)
            break;
        spare->context = context;
        of->n_spare++;
    }
    return true;
}

static void *take_from_spare(void *context)
{
    struct level_zero *of = level_zero();
    for (int i = of->n_spare - 1; i >= 0; i--)
        if (of->spare[i].context == context) {
            void *event = of->spare[i].handle;
            of->spare[i] = of->spare[--of->n_spare];
            return event;
        }
    return NULL;
}

void *lz_spare_event(void *context)
{
    void *event = take_from_spare(context);
    return event == NULL && make_spare_events(context) ? take_from_spare(context) : event;
}

void lz_give_back(const struct lz_entry *entry)
{
    struct level_zero *of = level_zero();
    if (entry->own && lz_call()->reset_event(entry->event) == LZ_SUCCESS &&
        ARRAY_GROW(of->spare, of->n_spare))
        of->spare[of->n_spare++] = (struct lz_own_event){entry->event, entry->of.context};
}

void lz_destroy_own(void *context)
{
    struct level_zero *of = level_zero();
    int events = 0, pools = 0;
    for (int i = 0; i < of->n_spare; i++)
        if (of->spare[i].context == context)
            lz_call()->destroy_event(of->spare[i].handle);
        else
            of->spare[events++] = of->spare[i];
    for (int i = 0; i < of->n_pools; i++)
        if (of->pool[i].context == context)
            lz_call()->destroy_pool(of->pool[i].handle);
        else
            of->pool[pools++] = of->pool[i];
    of->n_spare = events;
    of->n_pools = pools;
}

/* ---- times */

/* Two readings at one moment: the device's clock, and the library's, at most error_ns from it. */
struct moment {
    uint64_t ticks, monotonic, error_ns; /* monotonic 0: not read yet */
};

/* Reads again where the thread was interrupted in between: the shortest of a few counts. */
static bool read_clocks(const struct lz_device *device, struct moment *moment)
{
    enum { TRIES = 8, SHORT_NS = 5000 };
    uint64_t shortest = UINT64_MAX, host, ticks;
    for (int i = 0; i < TRIES && shortest > SHORT_NS; i++) {
        uint64_t before = activity_clock();
        if (lz_call()->clocks(device->handle, &host, &ticks) != LZ_SUCCESS)
            return false;
        uint64_t took = activity_clock() - before;
        if (took < shortest) {
            *moment = (struct moment){ticks, before + took / 2, took};
            shortest = took;
        }
    }
    return true;
}

/* Finds when work ran. The device's times begin anew after a while: they are known where one moment alone
 * since the submission is possible; else false. */
static bool when(const struct lz_device *device, const struct lz_times *times, const struct moment *now,
                 uint64_t submitted, struct device_work *work)
{
    const uint64_t slack = 1000000 + now->error_ns;
    double ago = (double)((now->ticks - times->begin) & device->mask) * device->tick_ns,
           took = (double)((times->end - times->begin) & device->mask) * device->tick_ns,
           round = ((double)device->mask + 1) * device->tick_ns,
           most = (double)(now->monotonic - submitted + slack);
    if (ago > most || ago + round <= most || took > ago + (double)slack)
        return false;
    work->begin = now->monotonic - (uint64_t)ago;
    work->end = work->begin + (uint64_t)took;
    return true;
}

/* Takes the times of an entry that has ended. False: it has not, or its event shows what ran before. now: of
 * each device, read when one is needed. */
static bool take(struct lz_entry *entry, struct moment *now)
{
    const struct lz_device *device = &level_zero()->device[entry->of.device];
    struct lz_times times;
    struct device_work work = {.device = entry->of.device,
                               .kind = entry->kind,
                               .name = entry->name != NULL ? entry->name : "",
                               .bytes = entry->bytes,
                               .launch = entry->launch};
    if (entry->submitted == 0 || lz_call()->event_status(entry->event) != LZ_SUCCESS ||
        lz_call()->event_times(entry->event, &times) != LZ_SUCCESS ||
        (now[entry->of.device].monotonic == 0 && !read_clocks(device, &now[entry->of.device])) ||
        !when(device, &times, &now[entry->of.device], entry->submitted, &work))
        return false;
    activity_record(ACTIVITY_INTEL, &work);
    return true;
}

static void drop_entry(int i)
{
    struct level_zero *of = level_zero();
    lz_give_back(&of->entry[i]);
    free(of->entry[i].name);
    of->entry[i] = of->entry[--of->n_entries];
}

static bool is_meant(const struct lz_entry *entry, enum lz_those those, const void *handle)
{
    return those == LZ_OF_EVENT     ? entry->event == handle
           : those == LZ_OF_LIST    ? entry->of.handle == handle
           : those == LZ_OF_CONTEXT ? entry->of.context == handle
                                    : true;
}

void lz_take_those(enum lz_those those, const void *handle)
{
    struct level_zero *of = level_zero();
    struct moment now[ACTIVITY_DEVICES] = {{0, 0, 0}};
    for (int i = of->n_entries - 1; i >= 0; i--) {
        struct lz_entry *entry = &of->entry[i];
        if (!is_meant(entry, those, handle) || !take(entry, now))
            continue;
        if (entry->of.immediate)
            drop_entry(i);
        else
            entry->submitted = 0;
    }
}

void lz_end_those(enum lz_those those, const void *handle)
{
    struct level_zero *of = level_zero();
    lz_take_those(those, handle);
    for (int i = of->n_entries - 1; i >= 0; i--)
        if (is_meant(&of->entry[i], those, handle)) {
            if (of->entry[i].submitted != 0)
                activity_unfinished(ACTIVITY_INTEL, of->entry[i].of.device);
            of->entry[i].own =
                of->entry[i].own && of->entry[i].submitted == 0; /* else it may be signalled yet */
            drop_entry(i);
        }
}

void lz_submit(const void *list)
{
    struct level_zero *of = level_zero();
    lz_take_those(LZ_OF_LIST, list);
    for (int i = 0; i < of->n_entries; i++) {
        struct lz_entry *entry = &of->entry[i];
        if (entry->of.handle != list)
            continue;
        if (entry->submitted != 0) /* of before, and has not been seen to end */
            activity_unfinished(ACTIVITY_INTEL, entry->of.device);
        if (entry->own)
            lz_call()->reset_event(entry->event);
        entry->submitted = activity_clock();
    }
}
