/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the functions of libze_loader.so.1 that libpapi_activity and its tests use, and its tracing
 * layer. Work that is submitted runs until the test has it end. With LACKS_LAYER it is of another version.
 */
#include "double_ze.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VISIBLE __attribute__((visibility("default")))
#define CALL(name, ...)                                                                                      \
    VISIBLE int name(__VA_ARGS__);                                                                           \
    VISIBLE int name(__VA_ARGS__)

enum { OK = 0, NOT_READY = 1, UNINITIALIZED = 0x78000001, INVALID = 0x78000004 };
enum { CALLS = 120, TIMED = 4, MOST = 256, DEVICES = 8, GPU = 1, PROCESSOR = 2 };
enum kind { NONE, DRIVER, DEVICE, TILE, CONTEXT, QUEUE, LIST, POOL, EVENT, KERNEL };

VISIBLE struct double_ze double_ze = {.devices = 2, .hertz = 1000000000, .offset = 12345678901, .bits = 40};

/* Each thing that has a handle. */
struct thing {
    enum kind kind;
    struct thing *of; /* a list's device, a pool's context, an event's pool, a tile's device */
    struct thing *context;
    struct thing *made_before;
    bool immediate, signalled;
    int flags, n;
    uint64_t begin, end;
    struct thing *command[16]; /* of a list: events that its work signals; a NULL ends no list */
    const char *name;
};

static struct thing driver = {.kind = DRIVER}, processor = {.kind = DEVICE}, device[DEVICES],
                    tile = {.kind = TILE};
static bool started;
static struct running {
    struct thing *device, *event;
} running[MOST];

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t ticks_of(uint64_t ns)
{
    const uint64_t second = 1000000000;
    return ns / second * double_ze.hertz + ns % second * double_ze.hertz / second + double_ze.offset;
}

static bool right(bool so)
{
    double_ze.wrong_calls += !so;
    return so;
}

static bool is(const struct thing *thing, enum kind kind)
{
    return right(thing != NULL && thing->kind == kind);
}

/* All that was made can be reached from the last, for those who look for leaks: programs seldom destroy it.
 */
static struct thing *made_last;

static struct thing *make(enum kind kind, struct thing *of, struct thing *context)
{
    struct thing *thing = calloc(1, sizeof *thing);
    thing->kind = kind;
    thing->of = of;
    thing->context = context;
    thing->made_before = __atomic_exchange_n(&made_last, thing, __ATOMIC_RELAXED);
    return thing;
}

/* ---- tracing layer */

typedef void callback(void **parameter, int result, void *user, void **of_call);
static struct {
    callback *call[CALLS];
} before, after;
static _Thread_local bool in_callback;

static void call_back(callback *function, void **parameter, int result, void **of_call)
{
    if (!double_ze.enabled || function == NULL || in_callback)
        return;
    in_callback = true;
    function(parameter, result, NULL, of_call);
    in_callback = false;
}

static int traced(int call, void **parameter, int (*work)(void **parameter))
{
    void *of_call = NULL;
    call_back(before.call[call], parameter, OK, &of_call);
    int result = work(parameter);
    call_back(after.call[call], parameter, result, &of_call);
    return result;
}
#define ARGUMENT(type, i) (*(type *)parameter[i])

#ifndef LACKS_LAYER
CALL(zelTracerCreate, const int *wanted, void **tracer)
{
    *tracer = &double_ze;
    return !started ? UNINITIALIZED : *wanted == 1 ? double_ze.tracer : INVALID;
}
#endif

CALL(zelTracerDestroy, void *tracer)
{
    right(tracer == &double_ze && !double_ze.enabled);
    return OK;
}

CALL(zelTracerSetPrologues, void *tracer, void *table)
{
    right(tracer == &double_ze && !double_ze.enabled);
    memcpy(&before, table, sizeof before);
    return OK;
}

CALL(zelTracerSetEpilogues, void *tracer, void *table)
{
    right(tracer == &double_ze && !double_ze.enabled);
    memcpy(&after, table, sizeof after);
    return OK;
}

CALL(zelTracerSetEnabled, void *tracer, uint8_t enable)
{
    double_ze.enabled = enable;
    return right(tracer == &double_ze) ? OK : INVALID;
}

/* ---- devices */

CALL(zeInit, uint32_t flags)
{
    started = double_ze.init == OK && flags == 0;
    for (int i = 0; i < DEVICES; i++)
        device[i].kind = DEVICE;
    tile.of = &device[0];
    return double_ze.init;
}

CALL(zeInitDrivers, uint32_t *n, void **out, void *wanted)
{
    (void)n, (void)out;
    right(wanted != NULL);
    return zeInit(0);
}

CALL(zeDriverGet, uint32_t *n, void **out)
{
    right(*n >= 1);
    *n = 1;
    out[0] = &driver;
    return started ? OK : UNINITIALIZED;
}

CALL(zeDeviceGet, void *of, uint32_t *n, void **out)
{
    right(of == &driver && *n > (uint32_t)double_ze.devices);
    *n = (uint32_t)double_ze.devices + 1;
    out[0] = &processor;
    for (int i = 0; i < double_ze.devices; i++)
        out[i + 1] = &device[i];
    return OK;
}

CALL(zeDeviceGetSubDevices, struct thing *of, uint32_t *n, void **out)
{
    *n = is(of, DEVICE) && of == &device[0];
    if (*n > 0)
        out[0] = &tile;
    return OK;
}

struct properties {
    int structure;
    void *next;
    int type;
    uint32_t unused[5];
    uint64_t memory;
    uint32_t more[7];
    uint64_t timer;
    uint32_t bits, kernel_bits;
    uint8_t uuid[16];
    char name[256];
};

CALL(zeDeviceGetProperties, struct thing *of, struct properties *properties)
{
    bool cycles = properties->structure == 0x20006;
    if (!is(of, DEVICE) || (cycles && double_ze.old) || (!cycles && properties->structure != 3))
        return INVALID;
    properties->type = of == &processor ? PROCESSOR : GPU;
    properties->timer = cycles ? double_ze.hertz : 1000000000 / double_ze.hertz;
    properties->bits = 64;
    properties->kernel_bits = double_ze.bits;
    if (of != &processor)
        snprintf(properties->name, sizeof properties->name, "Stand-in %c", (int)('A' + (of - device)));
    return OK;
}

struct pci {
    int structure;
    void *next;
    uint32_t domain, bus, device, function;
};

CALL(zeDevicePciGetPropertiesExt, struct thing *of, struct pci *pci)
{
    pci->domain = pci->device = pci->function = 0;
    pci->bus = (uint32_t)(of - device) + 0x3b;
    return is(of, DEVICE) && pci->structure == 0x10008 ? OK : INVALID;
}

CALL(zeDeviceGetGlobalTimestamps, struct thing *of, uint64_t *host, uint64_t *ticks)
{
    *host = 4711; /* of a clock that nobody knows */
    *ticks = ticks_of(clock_ns());
    return is(of, DEVICE) ? OK : INVALID;
}

/* Memory is where its address says: 1 in the host's, 2 and 3 in the first and the second device's. */
CALL(zeMemGetAllocProperties, struct thing *context, const void *address, int *properties, void **of)
{
    int kind = (int)(intptr_t)address;
    *of = kind == 2 ? &device[0] : kind == 3 ? &device[1] : NULL;
    properties[4] = kind == 3 ? 2 : kind;
    return is(context, CONTEXT) && properties[0] == 0x17 ? OK : INVALID;
}

CALL(zeKernelGetName, struct thing *kernel, size_t *size, char *name)
{
    if (!is(kernel, KERNEL))
        return INVALID;
    snprintf(name, *size, "%s", kernel->name);
    return OK;
}

/* ---- contexts, queues, lists */

static int make_context(void **parameter)
{
    *ARGUMENT(void **, 2) = make(CONTEXT, &driver, NULL);
    return OK;
}

CALL(zeContextCreate, void *of, const void *wanted, void **context)
{
    return traced(20, (void *[]){&of, &wanted, &context}, make_context);
}

static int end_context(void **parameter)
{
    right(is(ARGUMENT(struct thing *, 0), CONTEXT) && double_ze.pools == 0);
    ARGUMENT(struct thing *, 0)->kind = NONE;
    return OK;
}

CALL(zeContextDestroy, void *context)
{
    return traced(21, (void *[]){&context}, end_context);
}

static int make_list(void **parameter)
{
    *ARGUMENT(struct thing **, 3) = make(LIST, ARGUMENT(struct thing *, 1), ARGUMENT(struct thing *, 0));
    return OK;
}

CALL(zeCommandListCreate, void *context, void *of, const void *wanted, void **list)
{
    return traced(32, (void *[]){&context, &of, &wanted, &list}, make_list);
}

static int make_immediate(void **parameter)
{
    make_list(parameter);
    (*ARGUMENT(struct thing **, 3))->immediate = true;
    return OK;
}

CALL(zeCommandListCreateImmediate, void *context, void *of, const void *wanted, void **list)
{
    return traced(33, (void *[]){&context, &of, &wanted, &list}, make_immediate);
}

static int end_list(void **parameter)
{
    if (is(ARGUMENT(struct thing *, 0), LIST))
        ARGUMENT(struct thing *, 0)->kind = NONE;
    return OK;
}

CALL(zeCommandListDestroy, void *list)
{
    return traced(34, (void *[]){&list}, end_list);
}

static int reset_list(void **parameter)
{
    ARGUMENT(struct thing *, 0)->n = 0;
    return OK;
}

CALL(zeCommandListReset, void *list)
{
    return traced(36, (void *[]){&list}, reset_list);
}

static void run(struct thing *list, struct thing *event)
{
    right(event == NULL || !event->signalled);
    running[double_ze.running++] = (struct running){list->of, event};
}

static int append(struct thing *list, struct thing *event)
{
    if (double_ze.append != OK)
        return double_ze.append;
    if (!is(list, LIST) || (event != NULL && !is(event, EVENT)))
        return INVALID;
    if (list->immediate)
        run(list, event);
    else
        list->command[list->n++] = event;
    return OK;
}

static int append_kernel(void **parameter)
{
    return append(ARGUMENT(void *, 0), ARGUMENT(void *, 3));
}

CALL(zeCommandListAppendLaunchKernel, void *list, void *kernel, const void *groups, void *event, uint32_t n,
     void **wait)
{
    return traced(54, (void *[]){&list, &kernel, &groups, &event, &n, &wait}, append_kernel);
}

static int append_copy(void **parameter)
{
    return append(ARGUMENT(void *, 0), ARGUMENT(void *, 4));
}

CALL(zeCommandListAppendMemoryCopy, void *list, void *to, const void *from, size_t size, void *event,
     uint32_t n, void **wait)
{
    return traced(40, (void *[]){&list, &to, &from, &size, &event, &n, &wait}, append_copy);
}

static int append_fill(void **parameter)
{
    return append(ARGUMENT(void *, 0), ARGUMENT(void *, 5));
}

CALL(zeCommandListAppendMemoryFill, void *list, void *to, const void *pattern, size_t pattern_size,
     size_t size, void *event, uint32_t n, void **wait)
{
    return traced(41, (void *[]){&list, &to, &pattern, &pattern_size, &size, &event, &n, &wait}, append_fill);
}

static int append_region(void **parameter)
{
    return append(ARGUMENT(void *, 0), ARGUMENT(void *, 9));
}

CALL(zeCommandListAppendMemoryCopyRegion, void *list, void *to, const void *to_region, uint32_t pitch,
     uint32_t slice, const void *from, const void *from_region, uint32_t from_pitch, uint32_t from_slice,
     void *event, uint32_t n, void **wait)
{
    return traced(42,
                  (void *[]){&list, &to, &to_region, &pitch, &slice, &from, &from_region, &from_pitch,
                             &from_slice, &event, &n, &wait},
                  append_region);
}

static int execute(void **parameter)
{
    struct thing **list = ARGUMENT(struct thing **, 2);
    for (uint32_t i = 0; i < ARGUMENT(uint32_t, 1); i++)
        for (int k = 0; k < list[i]->n; k++)
            run(list[i], list[i]->command[k]);
    return OK;
}

CALL(zeCommandQueueExecuteCommandLists, void *queue, uint32_t n, void **list, void *fence)
{
    return traced(30, (void *[]){&queue, &n, &list, &fence}, execute);
}

static int nothing(void **parameter)
{
    (void)parameter;
    return OK;
}

CALL(zeCommandQueueSynchronize, void *queue, uint64_t wait)
{
    return traced(31, (void *[]){&queue, &wait}, nothing);
}

/* ---- events */

struct wanted {
    int structure;
    const void *next;
    uint32_t flags, n;
};

static int make_pool(void **parameter)
{
    const struct wanted *wanted = ARGUMENT(const struct wanted *, 1);
    if (!is(ARGUMENT(struct thing *, 0), CONTEXT) || !right(wanted->structure == 0x10 && wanted->n > 0))
        return INVALID;
    struct thing *pool = make(POOL, ARGUMENT(struct thing *, 0), NULL);
    pool->flags = (int)wanted->flags;
    *ARGUMENT(struct thing **, 4) = pool;
    double_ze.pools++;
    return OK;
}

CALL(zeEventPoolCreate, void *context, const void *wanted, uint32_t n, void **of, void **pool)
{
    return traced(63, (void *[]){&context, &wanted, &n, &of, &pool}, make_pool);
}

static int end_pool(void **parameter)
{
    if (is(ARGUMENT(struct thing *, 0), POOL))
        ARGUMENT(struct thing *, 0)->kind = NONE;
    double_ze.pools--;
    return OK;
}

CALL(zeEventPoolDestroy, void *pool)
{
    return traced(64, (void *[]){&pool}, end_pool);
}

static int make_event(void **parameter)
{
    if (!is(ARGUMENT(struct thing *, 0), POOL))
        return INVALID;
    *ARGUMENT(struct thing **, 2) = make(EVENT, ARGUMENT(struct thing *, 0), NULL);
    double_ze.events++;
    return OK;
}

CALL(zeEventCreate, void *pool, const void *wanted, void **event)
{
    return traced(68, (void *[]){&pool, &wanted, &event}, make_event);
}

static int end_event(void **parameter)
{
    if (is(ARGUMENT(struct thing *, 0), EVENT))
        ARGUMENT(struct thing *, 0)->kind = NONE;
    double_ze.events--;
    return OK;
}

CALL(zeEventDestroy, void *event)
{
    return traced(69, (void *[]){&event}, end_event);
}

CALL(zeEventHostSynchronize, void *event, uint64_t wait)
{
    return traced(71, (void *[]){&event, &wait}, nothing);
}

static int event_status(void **parameter)
{
    const struct thing *event = ARGUMENT(struct thing *, 0);
    return !is(event, EVENT) ? INVALID : event->signalled ? OK : NOT_READY;
}

CALL(zeEventQueryStatus, void *event)
{
    return traced(72, (void *[]){&event}, event_status);
}

static int reset_event(void **parameter)
{
    if (is(ARGUMENT(struct thing *, 0), EVENT))
        ARGUMENT(struct thing *, 0)->signalled = false;
    return OK;
}

CALL(zeEventHostReset, void *event)
{
    return traced(73, (void *[]){&event}, reset_event);
}

static int event_times(void **parameter)
{
    const struct thing *event = ARGUMENT(struct thing *, 0);
    uint64_t *times = ARGUMENT(uint64_t *, 1);
    if (!is(event, EVENT) || !right((event->of->flags & TIMED) != 0))
        return INVALID;
    if (!event->signalled)
        return NOT_READY;
    uint64_t mask = UINT64_MAX >> (64 - double_ze.bits);
    times[0] = ticks_of(event->begin) & mask;
    times[1] = ticks_of(event->end) & mask;
    times[2] = times[3] = UINT64_MAX;
    return OK;
}

CALL(zeEventQueryKernelTimestamp, void *event, void *times)
{
    return traced(74, (void *[]){&event, &times}, event_times);
}

/* ---- the test's */

VISIBLE double_end double_ends;
VISIBLE void double_ends(uint64_t begin, uint64_t end)
{
    if (!right(double_ze.running > 0))
        return;
    struct thing *event = running[0].event;
    double_ze.running--;
    memmove(running, running + 1, (size_t)double_ze.running * sizeof *running);
    if (event != NULL && is(event, EVENT)) {
        event->begin = begin;
        event->end = end;
        event->signalled = true;
    }
}

/* A kernel of a name. */
VISIBLE void *double_kernel(const char *name);
VISIBLE void *double_kernel(const char *name)
{
    struct thing *kernel = make(KERNEL, NULL, NULL);
    kernel->name = name;
    return kernel;
}

/* The device of a number; -1: the first one's tile. */
VISIBLE void *double_device(int number);
VISIBLE void *double_device(int number)
{
    return number < 0 ? &tile : &device[number];
}

/* ---- a rank's work (tests/mpi/devices/work.c) */

VISIBLE double_job_clock double_jobs_clock;
VISIBLE uint64_t double_jobs_clock(void)
{
    double_ze.devices = DEVICES;
    return clock_ns();
}

VISIBLE double_begin double_begins;
VISIBLE void double_begins(uint32_t kind, uint32_t number)
{
    static void *context, *list[DEVICES], *kernel;
    if (context == NULL) {
        zeContextCreate(&driver, NULL, &context);
        kernel = double_kernel("aKernel");
    }
    if (list[number] == NULL)
        zeCommandListCreateImmediate(context, &device[number], NULL, &list[number]);
    if (kind == 10)
        zeCommandListAppendLaunchKernel(list[number], kernel, NULL, NULL, 0, NULL);
    else
        zeCommandListAppendMemoryCopy(list[number], NULL, NULL, 1000, NULL, 0, NULL);
}

VISIBLE double_give double_gives;
VISIBLE void double_gives(const struct double_record *record, int n)
{
    for (int i = 0; i < n; i++)
        double_ends(record[i].begin, record[i].end);
    zeCommandQueueSynchronize(NULL, 0);
}

/* A call of any function, here of one that waits. */
VISIBLE double_call double_calls;
VISIBLE void double_calls(int domain, int side)
{
    static void *queue;
    static uint64_t wait;
    void *parameter[] = {&queue, &wait}, *of_call = NULL;
    (void)domain;
    if (side == 0)
        call_back(before.call[31], parameter, OK, &of_call);
    else
        call_back(after.call[31], parameter, OK, &of_call);
}

/* ---- a program's calls */

static void append_what(const struct double_start *what, void *list)
{
    void *of_device = (void *)(intptr_t)(2 + what->device), *of_host = (void *)(intptr_t)1;
    if (what->kernel != NULL)
        zeCommandListAppendLaunchKernel(list, double_kernel(what->kernel), NULL, NULL, 0, NULL);
    else if (what->kind == 2)
        zeCommandListAppendMemoryFill(list, of_device, NULL, 1, what->bytes, NULL, 0, NULL);
    else
        zeCommandListAppendMemoryCopy(list, what->copy == 1 ? of_device : of_host,
                                      what->copy == 1 ? of_host : of_device, what->bytes, NULL, 0, NULL);
}

VISIBLE double_starter double_ze_starts;
VISIBLE void double_ze_starts(const struct double_start *what)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static void *context, *list[DEVICES];
    pthread_mutex_lock(&lock);
    if (context == NULL)
        zeContextCreate(&driver, NULL, &context);
    if (list[what->device] == NULL)
        zeCommandListCreateImmediate(context, &device[what->device], NULL, &list[what->device]);
    append_what(what, list[what->device]);
    uint64_t now = clock_ns();
    double_ends(now, now + what->ns);
    zeCommandQueueSynchronize(NULL, 0);
    pthread_mutex_unlock(&lock);
}

VISIBLE double_kernel_starter double_ze_starts_kernel;
VISIBLE void double_ze_starts_kernel(const char *kernel, int64_t ns)
{
    double_ze_starts(&(struct double_start){NULL, kernel, 10, 0, 0, (uint64_t)ns, 0});
}

/* A list that is made once and runs so many times, a kernel of it each time for ns. */
VISIBLE void *double_ze_list(const char *kernel);
VISIBLE void *double_ze_list(const char *kernel)
{
    void *context, *list;
    zeContextCreate(&driver, NULL, &context);
    zeCommandListCreate(context, &device[0], NULL, &list);
    zeCommandListAppendLaunchKernel(list, double_kernel(kernel), NULL, NULL, 0, NULL);
    return list;
}

VISIBLE void double_ze_runs(void *list, int64_t ns);
VISIBLE void double_ze_runs(void *list, int64_t ns)
{
    zeCommandQueueExecuteCommandLists(NULL, 1, &list, NULL);
    uint64_t now = clock_ns();
    double_ends(now, now + (uint64_t)ns);
    zeCommandQueueSynchronize(NULL, 0);
}
