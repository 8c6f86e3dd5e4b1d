/* SPDX-License-Identifier: BSD-3-Clause
 *
 * NVIDIA's devices: activity records of CUPTI, and its callbacks around the calls of the runtime and the
 * driver. The offsets are those that all records of the kinds have had since CUDA 8.
 */
#include "activity/activity.h"
#include "components/device/device_places.h"
#include "papi.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 20, BUFFER_ALIGN = 8 };

/* Numbers of cupti.h and cuda.h. */
enum { SUCCESS = 0, INSUFFICIENT_PRIVILEGES = 35, MULTIPLE_SUBSCRIBERS = 39 };
enum { ENTER = 0, EXIT = 1 };
enum { DRIVER_CALLS = 1, RUNTIME_CALLS = 2 };
enum { FLUSH_FORCED = 1 };
enum { MEMCPY = 1, MEMSET = 2, KERNEL = 3, CONCURRENT_KERNEL = 10, MEMCPY_PEER = 22 };

typedef void buffer_requested(uint8_t **buffer, size_t *size, size_t *most_records);
typedef void buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
typedef void callback(void *of, int domain, uint32_t id, const void *data);

/* Begin of a record of a kernel, a copy or a setting: the same places in all of them. */
struct record {
    uint32_t kind;
    uint8_t copy_kind; /* of copies */
    uint8_t unused[3];
    uint64_t bytes; /* not of kernels */
    uint64_t begin, end;
};
/* Places behind that. */
static const struct {
    uint32_t kind;
    enum device_work_kind work;
    size_t device, launch, name; /* name: a pointer; 0: there is none */
} layouts[] = {
    {CONCURRENT_KERNEL, WORK_KERNEL, 40, 92, 104},
    {KERNEL, WORK_KERNEL, 40, 92, 104},
    {MEMCPY, WORK_COPY, 32, 44, 0},
    {MEMSET, WORK_SET, 32, 44, 0},
    {MEMCPY_PEER, WORK_COPY_OVER, 32, 60, 0},
};

/* Begin of what a callback is given about a call. */
struct call {
    int side;
    const char *function;
    const void *unused[6];
    uint32_t number; /* that of the records of what it launches */
};

struct cupti {
    void *library, *driver, *subscriber;
    int (*init)(unsigned flags), (*count)(int *n), (*device)(int *device, int number);
    int (*name)(char *name, int size, int device), (*address)(char *address, int size, int device);
    int (*timestamp)(uint64_t *ns);
    int (*register_callbacks)(buffer_requested *, buffer_completed *);
    int (*enable)(int kind), (*disable)(int kind), (*flush)(uint32_t flags);
    int (*next)(uint8_t *buffer, size_t valid, struct record **record);
    int (*dropped)(void *context, uint32_t stream, size_t *n);
    int (*subscribe)(void **subscriber, callback *, void *of), (*unsubscribe)(void *subscriber);
    int (*domain)(uint32_t enable, void *subscriber, int domain);
    int (*text)(int result, const char **text);
    _Atomic uint64_t n_dropped;
};

static struct cupti *cupti(void)
{
    return activity.vendor[ACTIVITY_NVIDIA].state;
}

#define FUNCTION(NAME, MEMBER)                                                                               \
    {                                                                                                        \
        NAME, offsetof(struct cupti, MEMBER), DEVICE_NEEDED                                                  \
    }

static const struct device_function of_driver[] = {
    FUNCTION("cuInit", init),
    FUNCTION("cuDeviceGetCount", count),
    FUNCTION("cuDeviceGet", device),
    FUNCTION("cuDeviceGetName", name),
    FUNCTION("cuDeviceGetPCIBusId", address),
};

static const struct device_function of_cupti[] = {
    FUNCTION("cuptiGetTimestamp", timestamp),
    FUNCTION("cuptiActivityRegisterCallbacks", register_callbacks),
    FUNCTION("cuptiActivityEnable", enable),
    FUNCTION("cuptiActivityDisable", disable),
    FUNCTION("cuptiActivityFlushAll", flush),
    FUNCTION("cuptiActivityGetNextRecord", next),
    FUNCTION("cuptiActivityGetNumDroppedRecords", dropped),
    FUNCTION("cuptiSubscribe", subscribe),
    FUNCTION("cuptiUnsubscribe", unsubscribe),
    FUNCTION("cuptiEnableDomain", domain),
    FUNCTION("cuptiGetResultString", text),
};

static const int kinds[] = {CONCURRENT_KERNEL, MEMCPY, MEMSET, MEMCPY_PEER};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- records */

static void give_buffer(uint8_t **buffer, size_t *size, size_t *most_records)
{
    void *memory = NULL;
    *most_records = 0; /* as many as there is room for */
    *size = posix_memalign(&memory, BUFFER_ALIGN, BUFFER_SIZE) == 0 ? BUFFER_SIZE : 0;
    *buffer = *size > 0 ? memory : NULL;
}

static enum device_work_kind direction_of(uint8_t copy_kind)
{
    static const enum device_work_kind kinds_of_copies[] = {
        [1] = WORK_COPY_IN, [2] = WORK_COPY_OUT,   [3] = WORK_COPY_IN, [4] = WORK_COPY_OUT,
        [5] = WORK_COPY_ON, [6] = WORK_COPY_ON,    [7] = WORK_COPY_ON, [8] = WORK_COPY_ON,
        [9] = WORK_COPY,    [10] = WORK_COPY_OVER,
    };
    bool known = copy_kind > 0 && copy_kind < sizeof kinds_of_copies / sizeof *kinds_of_copies;
    return known ? kinds_of_copies[copy_kind] : WORK_COPY;
}

static void take_record(const struct record *record)
{
    const char *at = (const char *)record, *name = NULL;
    uint32_t device, launch;
    size_t i = 0, n = sizeof layouts / sizeof *layouts;
    while (i < n && layouts[i].kind != record->kind)
        i++;
    if (i == n)
        return;
    memcpy(&device, at + layouts[i].device, sizeof device);
    memcpy(&launch, at + layouts[i].launch, sizeof launch);
    if (layouts[i].name != 0)
        memcpy(&name, at + layouts[i].name, sizeof name);
    bool kernel = layouts[i].work == WORK_KERNEL, copy = layouts[i].work == WORK_COPY;
    activity_record(ACTIVITY_NVIDIA,
                    &(struct device_work){.device = (int)device,
                                          .kind = copy ? direction_of(record->copy_kind) : layouts[i].work,
                                          .name = name != NULL ? name : "",
                                          .begin = record->begin,
                                          .end = record->end,
                                          .bytes = kernel ? 0 : record->bytes,
                                          .launch = launch});
}

static void take_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    struct record *record = NULL;
    size_t dropped = 0;
    (void)size;
    while (cupti()->next(buffer, valid, &record) == SUCCESS)
        take_record(record);
    if (cupti()->dropped(context, stream, &dropped) == SUCCESS)
        cupti()->n_dropped += dropped;
    free(buffer);
}

/* True for calls after which a device has something to do, by their names in both interfaces:
 * cudaLaunchKernel, cuGraphLaunch, cudaMemcpyAsync, cuMemsetD32_v2. */
static bool launches(const char *function)
{
    return strstr(function, "Launch") != NULL || strstr(function, "emcpy") != NULL ||
           strstr(function, "emset") != NULL;
}

static void around_call(void *of, int domain, uint32_t id, const void *data)
{
    const struct call *call = data;
    (void)of, (void)domain, (void)id;
    if (call->side == ENTER)
        activity_enter(ACTIVITY_NVIDIA,
                       call->function != NULL && launches(call->function) ? call->number : 0);
    else if (call->side == EXIT)
        activity_leave();
}

/* ---- start */

static int failed(int result, const char *what, struct reason *why)
{
    const char *text = "no reason given";
    cupti()->text(result, &text);
    if (result == INSUFFICIENT_PRIVILEGES)
        return reason_set(
            why, PAPI_EPERM,
            "what NVIDIA's devices do is shown to the administrator alone: the driver's setting "
            "NVreg_RestrictProfilingToAdminUsers=0 (in /etc/modprobe.d) opens it");
    return reason_set(why, result == MULTIPLE_SUBSCRIBERS ? PAPI_ECNFLCT : PAPI_ENOSUPP,
                      "%s: CUPTI answers \"%s\" (%d)%s", what, text, result,
                      result == MULTIPLE_SUBSCRIBERS ? ": another tool records already" : "");
}

static int load(struct reason *why)
{
    int code = device_library_load(&cuda_driver_places, NULL, &cupti()->driver, why);
    if (code == PAPI_OK)
        code = device_library_functions(cupti()->driver, cuda_driver_places.files[0], of_driver,
                                        sizeof of_driver / sizeof *of_driver, cupti(), why);
    if (code == PAPI_OK)
        code = device_library_load(&cupti_places, NULL, &cupti()->library, why);
    return code
               ?: device_library_functions(cupti()->library, cupti_places.files[0], of_cupti,
                                           sizeof of_cupti / sizeof *of_cupti, cupti(), why);
}

/* Looks for a device, before which no function of CUPTI may be called. */
static int look_for_device(struct reason *why)
{
    int n = 0, result = cupti()->init(0);
    if (result == SUCCESS)
        result = cupti()->count(&n);
    if (result != SUCCESS)
        return reason_set(why, PAPI_ENOSUPP, "NVIDIA's driver does not start, or has no device here (%d)",
                          result);
    return n > 0 ? PAPI_OK : reason_set(why, PAPI_ENOSUPP, "NVIDIA's driver has no device for this process");
}

static int subscribe(struct reason *why)
{
    int result = cupti()->subscribe(&cupti()->subscriber, around_call, NULL);
    if (result != SUCCESS)
        return failed(result, "calls of the runtime", why);
    result = cupti()->domain(1, cupti()->subscriber, RUNTIME_CALLS);
    if (result == SUCCESS)
        result = cupti()->domain(1, cupti()->subscriber, DRIVER_CALLS);
    if (result == SUCCESS)
        return PAPI_OK;
    cupti()->unsubscribe(cupti()->subscriber);
    return failed(result, "calls of the runtime", why);
}

static int enable(struct reason *why)
{
    int result = cupti()->register_callbacks(give_buffer, take_buffer), n = 0;
    while (result == SUCCESS && n < KINDS && (result = cupti()->enable(kinds[n])) == SUCCESS)
        n++;
    int code = result == SUCCESS ? subscribe(why) : failed(result, "records of kernels and copies", why);
    while (code != PAPI_OK && n > 0)
        cupti()->disable(kinds[--n]);
    return code;
}

static int start(bool in_driver, struct reason *why)
{
    activity.vendor[ACTIVITY_NVIDIA].state = calloc(1, sizeof(struct cupti));
    if (cupti() == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    return load(why) ?: (in_driver ? PAPI_OK : look_for_device(why)) ?: enable(why);
}

/* ---- while it runs */

static uint64_t now(void)
{
    uint64_t ns = 0;
    cupti()->timestamp(&ns);
    return ns;
}

static void flush(bool all)
{
    cupti()->flush(0);
    if (all) /* also buffers with records of what still runs */
        cupti()->flush(FLUSH_FORCED);
}

static uint64_t dropped(void)
{
    return cupti()->n_dropped;
}

static void describe(struct device_activity *device)
{
    int handle;
    if (cupti()->device(&handle, device->number) != SUCCESS)
        return;
    if (cupti()->name(device->name, sizeof device->name, handle) != SUCCESS)
        device->name[0] = '\0';
    if (cupti()->address(device->address, sizeof device->address, handle) != SUCCESS)
        device->address[0] = '\0';
    device->name[sizeof device->name - 1] = device->address[sizeof device->address - 1] = '\0';
    for (char *c = device->address; *c != '\0'; c++) /* as the kernel writes it */
        *c = (char)tolower((unsigned char)*c);
}

static int count(void)
{
    int n = 0;
    return cupti()->count(&n) == SUCCESS ? n : -1;
}

/* A device on the bus, on the processor's chip, or of the machine in which this one is a guest. */
static bool shown(void)
{
    static const char *const files[] = {"/dev/nvidiactl", "/dev/nvmap", "/dev/dxg"};
    bool found = false;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        found = found || access(files[i], F_OK) == 0;
    return found;
}

const struct activity_vendor cupti_vendor = {
    .runtime = "libcuda.so",
    .variables = (const char *const[]){"PAPI_CUDA_CUPTI", "PAPI_CUDA_ROOT", NULL},
    .shown = shown,
    .start = start,
    .now = now,
    .flush = flush,
    .dropped = dropped,
    .describe = describe,
    .count = count,
};
