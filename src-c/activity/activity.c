/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices at work for a process: when they run kernels and copy, and how long threads are in the calls of
 * their runtime.
 */
#include "activity/activity.h"
#include "components/device/device_library.h"
#include "papi.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A record that comes later than this after the end of another one is not waited for, but said: a kernel that
 * long, while others of its device end. */
#define LATEST_NS UINT64_C(60000000000)

struct activity activity = {.lock = PTHREAD_MUTEX_INITIALIZER};
_Thread_local struct activity_thread activity_thread;

static const struct activity_vendor *const vendors[ACTIVITY_VENDORS] = {
    [ACTIVITY_NVIDIA] = &cupti_vendor,
    [ACTIVITY_AMD] = &rocprofiler_vendor,
    [ACTIVITY_INTEL] = &level_zero_vendor,
};

/* ---- threads */

uint64_t activity_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The number by which a watcher knows a call: two vendors number theirs alike. */
static uint64_t launch_of(enum activity_vendor_number vendor, uint64_t launch)
{
    return launch != 0 ? launch | (uint64_t)vendor << 56 : 0;
}

static void tell_of_launch(struct activity_thread *thread, uint64_t launch)
{
    const struct device_watcher *watcher = activity.watcher;
    if (watcher == NULL)
        return;
    watcher->launch(launch, thread->launched);
    thread->launched = true;
}

void activity_enter(enum activity_vendor_number vendor, uint64_t launch)
{
    struct activity_thread *thread = &activity_thread;
    if (thread->depth++ == 0) {
        thread->elsewhere = activity.elsewhere != NULL && activity.elsewhere();
        thread->since = activity_clock();
        thread->launched = false;
    }
    if (launch != 0 && activity.started)
        tell_of_launch(thread, launch_of(vendor, launch));
}

void activity_leave(void)
{
    struct activity_thread *thread = &activity_thread;
    if (thread->depth == 0) /* it was inside when recording began */
        return;
    if (--thread->depth == 0 && !thread->elsewhere)
        thread->offload += activity_clock() - thread->since;
}

static uint64_t offload(void)
{
    const struct activity_thread *thread = &activity_thread;
    bool inside = thread->depth > 0 && !thread->elsewhere;
    return thread->offload + (inside ? activity_clock() - thread->since : 0);
}

/* ---- records */

/* The place of a device, which is made when it first does something; -1: there is no room. */
static int place_of(enum activity_vendor_number vendor, int number)
{
    for (int i = 0; i < activity.n_devices; i++)
        if (activity.device[i].number == number && activity.vendor_of[i] == vendor)
            return i;
    if (activity.n_devices == ACTIVITY_DEVICES)
        return -1;
    activity.vendor_of[activity.n_devices] = vendor;
    activity.device[activity.n_devices] = (struct device_activity){.number = number};
    return activity.n_devices++;
}

/* A moment of a vendor's clock in the library's: both were read at the start, and are read now, so that one
 * which is faster than the other does not lead away from it. */
static uint64_t in_monotonic(const struct activity_running *start, uint64_t at, uint64_t now,
                             uint64_t monotonic)
{
    double rate = now > start->clock && monotonic > start->monotonic
                      ? (double)(monotonic - start->monotonic) / (double)(now - start->clock)
                      : 1;
    return start->monotonic + (uint64_t)(int64_t)((double)(int64_t)(at - start->clock) * rate);
}

static void tell_watcher(enum activity_vendor_number vendor, struct device_work work)
{
    const struct device_watcher *watcher = activity.watcher;
    if (watcher == NULL)
        return;
    uint64_t now = vendors[vendor]->now(), monotonic = activity_clock(), took = work.end - work.begin;
    work.begin = in_monotonic(&activity.vendor[vendor], work.begin, now, monotonic);
    work.end = work.begin + took;
    work.launch = launch_of(vendor, work.launch);
    watcher->work(&work);
}

static bool measure(const struct device_work *work)
{
    enum busy_kind kind = work->kind == WORK_KERNEL ? BUSY_KERNEL : BUSY_COPY;
    return !activity.measured || busy_add(&activity.busy[work->place], kind, work->begin, work->end);
}

static void add(enum activity_vendor_number vendor, const struct device_work *work)
{
    struct device_activity *device = &activity.device[work->place];
    uint64_t *latest = &activity.latest[vendor];
    bool kernel = work->kind == WORK_KERNEL;
    if (work->end < work->begin) {
        device->unfinished++;
        return;
    }
    tell_watcher(vendor, *work);
    if (!measure(work)) {
        activity.no_room++;
        return;
    }
    device->kernels += kernel;
    device->copies += !kernel;
    device->copied_bytes += kernel ? 0 : work->bytes;
    *latest = work->end > *latest ? work->end : *latest;
}

void activity_record(enum activity_vendor_number vendor, const struct device_work *record)
{
    struct device_work work = *record;
    pthread_mutex_lock(&activity.lock);
    work.place = place_of(vendor, work.device);
    if (work.place >= 0)
        add(vendor, &work);
    else
        activity.no_room++;
    pthread_mutex_unlock(&activity.lock);
}

void activity_unfinished(enum activity_vendor_number vendor, int device)
{
    activity_record(vendor, &(struct device_work){.device = device, .begin = 1});
}

/* ---- vendors */

/* True if an object of the program has a name that begins so. */
static int is_object(struct dl_phdr_info *object, size_t size, void *beginning)
{
    const char *slash = strrchr(object->dlpi_name, '/'),
               *name = slash != NULL ? slash + 1 : object->dlpi_name;
    (void)size;
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

static bool is_loaded(const struct activity_vendor *vendor)
{
    return dl_iterate_phdr(is_object, (void *)vendor->runtime) != 0;
}

static bool is_named(const struct activity_vendor *vendor)
{
    bool named = false;
    for (int i = 0; vendor->variables[i] != NULL; i++)
        named = named || device_setting(vendor->variables[i]) != NULL;
    return named;
}

/* Starts a vendor, which nobody else does meanwhile: its driver may call back, and another thread may be the
 * first to use another vendor's devices. Nobody waits, as a driver may hold locks while it calls. */
static int start_vendor(int i, bool in_driver, struct reason *why)
{
    struct activity_running *vendor = &activity.vendor[i];
    if (atomic_exchange(&vendor->claimed, true))
        return PAPI_OK;
    int code = vendors[i]->start(in_driver, why);
    if (code != PAPI_OK) { /* it can be tried again */
        free(vendor->state);
        vendor->state = NULL;
        vendor->claimed = false;
        return code;
    }
    vendor->clock = vendors[i]->now();
    vendor->monotonic = activity_clock();
    vendor->on = true;
    return PAPI_OK;
}

/* Reasons of vendors that are refused: rather that of one whose runtime the program has loaded. */
struct refusal {
    struct reason of_any, of_loaded;
    struct reason beside; /* of a vendor that is expected, while another one is recorded */
};

static void note_refusal(struct refusal *refusal, const struct reason *why, bool loaded, bool expected)
{
    if (refusal->of_any.code == PAPI_OK)
        refusal->of_any = *why;
    if (loaded && refusal->of_loaded.code == PAPI_OK)
        refusal->of_loaded = *why;
    if (expected && refusal->beside.code == PAPI_OK)
        refusal->beside = *why;
}

/* Starts the vendors whose devices may be used: the number of those that are. */
static int start_those(struct refusal *refusal)
{
    int n = 0;
    for (int i = 0; i < ACTIVITY_VENDORS; i++) {
        struct reason why = {0};
        bool loaded = is_loaded(vendors[i]), named = is_named(vendors[i]), shown = vendors[i]->shown();
        if (!loaded && !named && !shown)
            continue;
        if (start_vendor(i, false, &why) == PAPI_OK)
            n++;
        else
            note_refusal(refusal, &why, loaded, named || (loaded && shown));
    }
    return n;
}

static int start_vendors(struct reason *why)
{
    struct refusal refusal = {0};
    int n = start_those(&refusal);
    const struct reason *reason = n > 0                               ? &refusal.beside
                                  : refusal.of_loaded.code != PAPI_OK ? &refusal.of_loaded
                                                                      : &refusal.of_any;
    if (reason->code != PAPI_OK)
        reason_set(why, reason->code, "%s", reason->text);
    else if (n == 0)
        reason_set(
            why, PAPI_ENOSUPP,
            "the kernel shows no device whose work is recorded, and the program has not loaded the library "
            "of one: papi_hardware_avail lists the devices");
    return n > 0 ? PAPI_OK : why->code;
}

/* ---- interface */

static void in_child(void)
{
    activity.started = false;
    activity.forked = true;
}

static int begin(enum activity_vendor_number driver, struct reason *why)
{
    if (activity.forked)
        return reason_set(why, PAPI_ENOSUPP, "what devices do is not recorded in the child of a fork");
    sigset_t before = device_hold_signals();
    int code = driver < ACTIVITY_VENDORS ? start_vendor((int)driver, true, why) : start_vendors(why);
    device_release_signals(before);
    bool elsewhere = driver < ACTIVITY_VENDORS && !activity.vendor[driver].on; /* is it started */
    if (code != PAPI_OK || elsewhere || atomic_exchange(&activity.begun, true))
        return code;
    if (pthread_atfork(NULL, NULL, in_child) != 0)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    activity.started = true;
    return PAPI_OK;
}

static int start(bool (*elsewhere)(void), struct reason *why)
{
    if (activity.measured && activity.started)
        return PAPI_OK;
    activity.elsewhere = elsewhere;
    activity.measured = true;
    return begin(ACTIVITY_VENDORS, why);
}

/* A driver that is started in order to measure calls whoever watches, too. */
static int watch(const struct device_watcher *watcher, enum activity_vendor_number driver, struct reason *why)
{
    if (activity.watcher != NULL && (activity.watcher != watcher || driver == ACTIVITY_VENDORS))
        return reason_set(why, PAPI_EISRUN, "what devices do is watched already");
    int code = begin(driver, why);
    if (code == PAPI_OK)
        activity.watcher = watcher;
    return code;
}

static bool mark(uint64_t of)
{
    bool all = true;
    if (!activity.started)
        return true;
    uint64_t now[ACTIVITY_VENDORS] = {0};
    for (int i = 0; i < ACTIVITY_VENDORS; i++)
        now[i] = activity.vendor[i].on ? vendors[i]->now() : 0;
    pthread_mutex_lock(&activity.lock);
    for (int i = 0; i < activity.n_devices; i++)
        all = busy_mark(&activity.busy[i], now[activity.vendor_of[i]], of) && all;
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

/* The moment until which all records of a vendor are there. */
static uint64_t settled_moment(enum activity_vendor_number vendor, bool all)
{
    uint64_t latest = activity.latest[vendor];
    return all ? UINT64_MAX : latest > LATEST_NS ? latest - LATEST_NS : 0;
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
        vendors[activity.vendor_of[i]]->describe(&device);
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
    for (int i = 0; i < ACTIVITY_VENDORS; i++)
        if (activity.vendor[i].on)
            vendors[i]->flush(all);
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

static int check(struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < ACTIVITY_VENDORS && code == PAPI_OK; i++)
        if (activity.vendor[i].on && vendors[i]->check != NULL)
            code = vendors[i]->check(why);
    return code;
}

static int settle(bool all, void (*tell)(void *to, int device, uint64_t of, struct busy_time time), void *to,
                  struct reason *why)
{
    struct teller teller = {tell, to, 0};
    bool settled = true;
    if (!activity.started)
        return PAPI_OK;
    take_in(all);
    int code = check(why);
    if (code != PAPI_OK)
        return code;
    pthread_mutex_lock(&activity.lock);
    for (int i = 0; i < activity.n_devices; i++)
        settled = settle_device(i, settled_moment(activity.vendor_of[i], all), &teller) && settled;
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
    uint64_t n = activity.no_room;
    for (int i = 0; i < ACTIVITY_VENDORS; i++)
        n += activity.started && activity.vendor[i].on ? vendors[i]->dropped() : 0;
    return n;
}

/* Adds a vendor's devices to the n that are in device already. The number with them; -1. */
static int add_usable(int vendor, struct device_activity *device, int n, int most)
{
    int found = vendors[vendor]->count();
    for (int i = 0; i < found && n + i < most; i++) {
        device[n + i] = (struct device_activity){.number = i};
        vendors[vendor]->describe(&device[n + i]);
    }
    return found < 0 ? -1 : n + found;
}

static int usable(struct device_activity *device, int most)
{
    int n = activity.started ? 0 : -1;
    sigset_t before = begin_own_calls();
    for (int i = 0; i < ACTIVITY_VENDORS && n >= 0; i++)
        if (activity.vendor[i].on)
            n = add_usable(i, device, n, most);
    end_own_calls(before);
    return n;
}

__attribute__((visibility("default"))) const struct device_activity_functions *
papi_device_activity(int version)
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
