/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices at work for a process: when they run kernels and copy, and how long threads are in the calls of
 * their runtime.
 */
#include "activity/activity.h"
#include "components/device/device_library.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A record that comes later than this after the end of another one is not waited for, but said: a kernel that
 * long, while others of its device end. */
#define LATEST_NS UINT64_C(60000000000)

struct activity activity = {.lock = PTHREAD_MUTEX_INITIALIZER};
_Thread_local struct activity_thread activity_thread;

/* ---- threads */

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void tell_of_launch(struct activity_thread *thread, uint64_t launch)
{
    const struct device_watcher *watcher = activity.watcher;
    if (watcher == NULL)
        return;
    watcher->launch(launch, thread->launched);
    thread->launched = true;
}

void activity_enter(uint64_t launch)
{
    struct activity_thread *thread = &activity_thread;
    if (thread->depth++ == 0) {
        thread->elsewhere = activity.elsewhere != NULL && activity.elsewhere();
        thread->since = clock_ns();
        thread->launched = false;
    }
    if (launch != 0 && activity.started)
        tell_of_launch(thread, launch);
}

void activity_leave(void)
{
    struct activity_thread *thread = &activity_thread;
    if (thread->depth == 0) /* it was inside when recording began */
        return;
    if (--thread->depth == 0 && !thread->elsewhere)
        thread->offload += clock_ns() - thread->since;
}

static uint64_t offload(void)
{
    const struct activity_thread *thread = &activity_thread;
    bool inside = thread->depth > 0 && !thread->elsewhere;
    return thread->offload + (inside ? clock_ns() - thread->since : 0);
}

/* ---- records */

/* The place of a device, which is made when it first does something; -1: there is no room. */
static int place_of(int number)
{
    for (int i = 0; i < activity.n_devices; i++)
        if (activity.device[i].number == number)
            return i;
    if (activity.n_devices == ACTIVITY_DEVICES)
        return -1;
    struct device_activity *device = &activity.device[activity.n_devices];
    *device = (struct device_activity){.number = number};
    return activity.n_devices++;
}

static bool measure(int place, const struct device_work *work)
{
    enum busy_kind kind = work->kind == WORK_KERNEL ? BUSY_KERNEL : BUSY_COPY;
    return !activity.measured || busy_add(&activity.busy[place], kind, work->begin, work->end);
}

static void add(int place, const struct device_work *work)
{
    struct device_activity *device = &activity.device[place];
    const struct device_watcher *watcher = activity.watcher;
    bool kernel = work->kind == WORK_KERNEL;
    if (work->end < work->begin) {
        device->unfinished++;
        return;
    }
    if (watcher != NULL)
        watcher->work(work);
    if (!measure(place, work)) {
        activity.no_room++;
        return;
    }
    device->kernels += kernel;
    device->copies += !kernel;
    device->copied_bytes += kernel ? 0 : work->bytes;
    activity.latest = work->end > activity.latest ? work->end : activity.latest;
}

void activity_record(const struct device_work *work)
{
    pthread_mutex_lock(&activity.lock);
    int place = place_of(work->device);
    if (place >= 0)
        add(place, work);
    else
        activity.no_room++;
    pthread_mutex_unlock(&activity.lock);
}

/* ---- interface */

static void in_child(void)
{
    activity.started = false;
}

static int begin(bool in_driver, struct reason *why)
{
    if (activity.started)
        return PAPI_OK;
    if (activity.vendor != NULL)
        return reason_set(why, PAPI_ENOSUPP, "what devices do is not recorded in the child of a fork");
    activity.vendor = &cupti_vendor;
    sigset_t before = device_hold_signals();
    activity.starting = true;
    int code = activity.vendor->start(in_driver, why);
    activity.starting = false;
    device_release_signals(before);
    if (code == PAPI_OK && pthread_atfork(NULL, NULL, in_child) != 0)
        code = reason_set(why, PAPI_ENOMEM, "out of memory");
    activity.started = code == PAPI_OK;
    if (code != PAPI_OK) { /* it can be tried again */
        free(activity.of_vendor);
        activity.of_vendor = NULL;
        activity.vendor = NULL;
    }
    return code;
}

static int start(bool (*elsewhere)(void), struct reason *why)
{
    if (activity.measured && activity.started)
        return PAPI_OK;
    activity.elsewhere = elsewhere;
    activity.measured = true;
    return begin(false, why);
}

/* A driver that is started in order to measure calls whoever watches, too. */
static int watch(const struct device_watcher *watcher, bool in_driver, struct reason *why)
{
    if (activity.watcher != NULL)
        return reason_set(why, PAPI_EISRUN, "what devices do is watched already");
    int code = activity.starting ? PAPI_OK : begin(in_driver, why);
    if (code == PAPI_OK)
        activity.watcher = watcher;
    return code;
}

static bool mark(uint64_t of)
{
    bool all = true;
    if (!activity.started)
        return true;
    uint64_t now = activity.vendor->now();
    pthread_mutex_lock(&activity.lock);
    for (int i = 0; i < activity.n_devices; i++)
        all = busy_mark(&activity.busy[i], now, of) && all;
    pthread_mutex_unlock(&activity.lock);
    return all;
}

struct teller {
    void (*tell)(void *to, int device, uint64_t of, struct busy_time time);
    void *to;
    int device;
};

static void tell_of_device(void *to, uint64_t of, struct busy_time time)
{
    const struct teller *teller = to;
    teller->tell(teller->to, teller->device, of, time);
}

/* The moment until which all records are there. */
static uint64_t settled_moment(bool all)
{
    if (all)
        return UINT64_MAX;
    return activity.latest > LATEST_NS ? activity.latest - LATEST_NS : 0;
}

/* Asks the driver for the names of devices that have none yet: here, because the thread that brings records
 * must not call it. */
static void describe_devices(void)
{
    struct device_activity device;
    for (int i = 0; i < activity.n_devices; i++) {
        pthread_mutex_lock(&activity.lock);
        device = activity.device[i];
        pthread_mutex_unlock(&activity.lock);
        if (device.address[0] != '\0')
            continue;
        activity.vendor->describe(&device);
        pthread_mutex_lock(&activity.lock);
        memcpy(activity.device[i].name, device.name, sizeof device.name);
        memcpy(activity.device[i].address, device.address, sizeof device.address);
        pthread_mutex_unlock(&activity.lock);
    }
}

/* Calls of the driver between these two are not the program's. */
static sigset_t begin_own_calls(void)
{
    struct activity_thread *thread = &activity_thread;
    sigset_t before = device_hold_signals();
    thread->elsewhere = thread->depth++ > 0 ? thread->elsewhere : true;
    return before;
}

static void end_own_calls(sigset_t before)
{
    activity_thread.depth--;
    device_release_signals(before);
}

/* Has the driver give its records. */
static void take_in(bool all)
{
    sigset_t before = begin_own_calls();
    activity.vendor->flush(all);
    describe_devices();
    end_own_calls(before);
}

static bool settle_device(int i, uint64_t until, struct teller *teller)
{
    struct device_activity *device = &activity.device[i];
    struct busy *busy = &activity.busy[i];
    teller->device = i;
    if (!busy_settle(busy, until, tell_of_device, teller))
        return false;
    device->busy = busy->so_far;
    device->late_ns = busy->late_ns;
    return true;
}

static int settle(bool all, void (*tell)(void *to, int device, uint64_t of, struct busy_time time), void *to,
                  struct reason *why)
{
    struct teller teller = {tell, to, 0};
    bool settled = true;
    if (!activity.started)
        return PAPI_OK;
    take_in(all);
    pthread_mutex_lock(&activity.lock);
    for (int i = 0; i < activity.n_devices; i++)
        settled = settle_device(i, settled_moment(all), &teller) && settled;
    pthread_mutex_unlock(&activity.lock);
    return settled ? PAPI_OK : reason_set(why, PAPI_ENOMEM, "out of memory");
}

static int devices(const struct device_activity **device)
{
    *device = activity.device;
    return activity.n_devices;
}

static uint64_t dropped(void)
{
    return activity.no_room + (activity.started ? activity.vendor->dropped() : 0);
}

static int usable(struct device_activity *device, int most)
{
    if (!activity.started || activity.vendor->count == NULL)
        return -1;
    sigset_t before = begin_own_calls();
    int n = activity.vendor->count();
    for (int i = 0; i < n && i < most; i++) {
        device[i] = (struct device_activity){.number = i};
        activity.vendor->describe(&device[i]);
    }
    end_own_calls(before);
    return n;
}

__attribute__((visibility("default"))) device_activity_function papi_device_activity;

const struct device_activity_functions *papi_device_activity(int version)
{
    static const struct device_activity_functions functions = {.start = start,
                                                               .watch = watch,
                                                               .offload = offload,
                                                               .mark = mark,
                                                               .settle = settle,
                                                               .devices = devices,
                                                               .dropped = dropped,
                                                               .usable = usable};
    return version == DEVICE_ACTIVITY_VERSION ? &functions : NULL;
}
