/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Intel's devices: Level Zero's tracing layer, which calls around each of its functions.
 */
#include "activity/activity.h"
#include "activity/level_zero_tracing.h"
#include "components/device/device_places.h"
#include "papi.h"

#include <glob.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct level_zero *level_zero(void)
{
    return activity.vendor[ACTIVITY_INTEL].state;
}

#define FUNCTION(NAME, MEMBER, NEED)                                                                         \
    {                                                                                                        \
        NAME, offsetof(struct lz_tracing_functions, MEMBER), NEED                                            \
    }

static const struct device_function functions[] = {
    FUNCTION("zeInit", init, DEVICE_NEEDED),
    FUNCTION("zeDriverGet", drivers, DEVICE_NEEDED),
    FUNCTION("zeDeviceGet", devices, DEVICE_NEEDED),
    FUNCTION("zeDeviceGetSubDevices", tiles, DEVICE_NEEDED),
    FUNCTION("zeDeviceGetProperties", properties, DEVICE_NEEDED),
    FUNCTION("zeDevicePciGetPropertiesExt", pci, DEVICE_OPTIONAL),
    FUNCTION("zeDeviceGetGlobalTimestamps", clocks, DEVICE_NEEDED),
    FUNCTION("zeMemGetAllocProperties", memory, DEVICE_NEEDED),
    FUNCTION("zeKernelGetName", kernel_name, DEVICE_NEEDED),
    FUNCTION("zeEventPoolCreate", create_pool, DEVICE_NEEDED),
    FUNCTION("zeEventPoolDestroy", destroy_pool, DEVICE_NEEDED),
    FUNCTION("zeEventCreate", create_event, DEVICE_NEEDED),
    FUNCTION("zeEventDestroy", destroy_event, DEVICE_NEEDED),
    FUNCTION("zeEventHostReset", reset_event, DEVICE_NEEDED),
    FUNCTION("zeEventQueryStatus", event_status, DEVICE_NEEDED),
    FUNCTION("zeEventQueryKernelTimestamp", event_times, DEVICE_NEEDED),
    FUNCTION("zelEnableTracingLayer", enable_layer, DEVICE_OPTIONAL),
    FUNCTION("zelTracerCreate", create_tracer, DEVICE_NEEDED),
    FUNCTION("zelTracerDestroy", destroy_tracer, DEVICE_NEEDED),
    FUNCTION("zelTracerSetPrologues", prologues, DEVICE_NEEDED),
    FUNCTION("zelTracerSetEpilogues", epilogues, DEVICE_NEEDED),
    FUNCTION("zelTracerSetEnabled", set_enabled, DEVICE_NEEDED),
};

/* ---- start */

static int failed(int status, const char *what, struct reason *why)
{
    return reason_set(
        why, PAPI_ENOSUPP, "%s: Level Zero answers 0x%x%s", what, (unsigned)status,
        status == LZ_UNINITIALIZED
            ? ": no driver of Intel's devices is installed, or none finds a device that this user "
              "may use (sudo usermod -aG render,video $USER)"
            : "");
}

static int load(struct reason *why)
{
    return device_library_open(&level_zero_places, NULL, &level_zero()->library, functions,
                               sizeof functions / sizeof *functions, &level_zero()->call, why);
}

/* The layer is there if a variable says so before the program's first call, or if the loader can be asked.
 * The environment is not changed: the program may read it in another thread. */
static int begin(struct reason *why)
{
    const char *layer = secure_getenv("ZE_ENABLE_TRACING_LAYER");
    bool asked = layer != NULL && strcmp(layer, "1") == 0;
    if (!asked && level_zero()->call.enable_layer == NULL)
        return reason_set(
            why, PAPI_ENOSUPP,
            "Level Zero tells what Intel's devices do if its layer for that is asked for: start "
            "the program with ZE_ENABLE_TRACING_LAYER=1");
    int status = level_zero()->call.init(0);
    if (status != LZ_SUCCESS)
        return failed(status, "zeInit", why);
    if (!asked)
        status = level_zero()->call.enable_layer();
    return status == LZ_SUCCESS ? PAPI_OK : failed(status, "zelEnableTracingLayer", why);
}

/* Asks for the clock in cycles a second, as whole nanoseconds are no measure of it; older drivers have these
 * alone. False: it says nothing of its clock. */
static bool describe_clock(struct lz_device *device, struct lz_device_properties *properties)
{
    *properties = (struct lz_device_properties){.structure = (enum lz_structure)LZ_DEVICE_PROPERTIES_1_2};
    bool cycles = level_zero()->call.properties(device->handle, properties) == LZ_SUCCESS;
    if (!cycles) {
        *properties = (struct lz_device_properties){.structure = LZ_DEVICE_PROPERTIES};
        if (level_zero()->call.properties(device->handle, properties) != LZ_SUCCESS)
            return false;
    }
    if (properties->timer == 0 || properties->kernel_timestamp_bits == 0 ||
        properties->kernel_timestamp_bits > 64)
        return false;
    device->tick_ns = cycles ? 1e9 / (double)properties->timer : (double)properties->timer;
    device->mask = UINT64_MAX >> (64 - properties->kernel_timestamp_bits);
    return true;
}

static void describe_place(struct lz_device *device)
{
    struct lz_pci pci = {.structure = (enum lz_structure)LZ_PCI};
    if (level_zero()->call.pci != NULL && level_zero()->call.pci(device->handle, &pci) == LZ_SUCCESS)
        snprintf(device->address, sizeof device->address, "%04x:%02x:%02x.%x", pci.domain & 0xffff,
                 pci.bus & 0xff, pci.device & 0x1f, pci.function & 7);
}

static bool add_tiles(void *handle, int number)
{
    void *tile[64] = {NULL};
    uint32_t n = sizeof tile / sizeof *tile;
    bool kept = lz_handles_put(&level_zero()->units, handle, (uint64_t)number);
    if (level_zero()->call.tiles(handle, &n, tile) != LZ_SUCCESS)
        n = 0;
    for (uint32_t i = 0; i < n && kept; i++)
        kept = lz_handles_put(&level_zero()->units, tile[i], (uint64_t)number);
    return kept;
}

static int add_device(void *handle, struct reason *why)
{
    struct level_zero *of = level_zero();
    struct lz_device_properties properties;
    struct lz_device device = {.handle = handle};
    bool clock = describe_clock(&device, &properties);
    if (properties.type != LZ_GPU || of->n_devices == ACTIVITY_DEVICES)
        return PAPI_OK;
    if (!clock)
        return reason_set(
            why, PAPI_ENOSUPP,
            "the driver of Intel's devices does not say what its times are: install a newer one "
            "(intel-level-zero-gpu)");
    memcpy(device.name, properties.name, sizeof device.name - 1);
    describe_place(&device);
    of->device[of->n_devices] = device;
    return add_tiles(handle, of->n_devices++) ? PAPI_OK : reason_set(why, PAPI_ENOMEM, "out of memory");
}

static int add_devices(void *driver, struct reason *why)
{
    void *device[64] = {NULL};
    uint32_t n = sizeof device / sizeof *device;
    int status = level_zero()->call.devices(driver, &n, device), code = PAPI_OK;
    if (status != LZ_SUCCESS)
        return failed(status, "zeDeviceGet", why);
    for (uint32_t i = 0; i < n && i < sizeof device / sizeof *device && code == PAPI_OK; i++)
        code = add_device(device[i], why);
    return code;
}

static int find_devices(struct reason *why)
{
    void *driver[16] = {NULL};
    uint32_t n = sizeof driver / sizeof *driver;
    int status = level_zero()->call.drivers(&n, driver), code = PAPI_OK;
    if (status != LZ_SUCCESS)
        return failed(status, "zeDriverGet", why);
    for (uint32_t i = 0; i < n && i < sizeof driver / sizeof *driver && code == PAPI_OK; i++)
        code = add_devices(driver[i], why);
    if (code == PAPI_OK && level_zero()->n_devices == 0)
        return failed(LZ_UNINITIALIZED, "no device", why);
    return code;
}

static int trace(struct reason *why)
{
    const struct lz_tracer wanted = {LZ_TRACER, NULL, NULL};
    const struct lz_tracing_functions *call = &level_zero()->call;
    struct lz_callbacks prologues, epilogues;
    void *tracer = NULL;
    lz_fill_callbacks(&prologues, &epilogues);
    int status = call->create_tracer(&wanted, &tracer);
    if (status == LZ_SUCCESS) {
        status = call->prologues(tracer, &prologues)
                     ?: call->epilogues(tracer, &epilogues)
                     ?: call->set_enabled(tracer, 1);
        if (status != LZ_SUCCESS)
            call->destroy_tracer(tracer);
    }
    level_zero()->tracer = tracer;
    return status == LZ_SUCCESS
               ? PAPI_OK
               : reason_set(
                     why, PAPI_ENOSUPP,
                     "zelTracerCreate: Level Zero answers 0x%x: its tracing layer is not there; install "
                     "libze_tracing_layer.so.1 (package libze1 or level-zero), and start the program with "
                     "ZE_ENABLE_TRACING_LAYER=1",
                     (unsigned)status);
}

static int start(bool in_driver, struct reason *why)
{
    struct level_zero *of = calloc(1, sizeof *of);
    (void)in_driver;
    if (of == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    activity.vendor[ACTIVITY_INTEL].state = of;
    pthread_mutex_init(&of->lock, NULL);
    int code = load(why) ?: begin(why) ?: find_devices(why) ?: trace(why);
    if (code != PAPI_OK)
        free(of->units.place);
    return code;
}

/* ---- while it runs */

static uint64_t dropped(void)
{
    return level_zero()->n_dropped;
}

static void describe(struct device_activity *device)
{
    if (device->number >= level_zero()->n_devices)
        return;
    const struct lz_device *known = &level_zero()->device[device->number];
    memcpy(device->name, known->name, sizeof device->name);
    memcpy(device->address, known->address, sizeof device->address);
}

static int count(void)
{
    return level_zero()->n_devices;
}

static bool is_of_intel(const char *file)
{
    char vendor[16] = "";
    FILE *opened = fopen(file, "re");
    bool found =
        opened != NULL && fgets(vendor, sizeof vendor, opened) != NULL && strcmp(vendor, "0x8086\n") == 0;
    if (opened != NULL)
        fclose(opened);
    return found;
}

static bool shown(void)
{
    glob_t files;
    bool found = false;
    if (glob("/sys/class/drm/renderD*/device/vendor", GLOB_NOSORT, NULL, &files) != 0)
        return false;
    for (size_t i = 0; i < files.gl_pathc; i++)
        found = found || is_of_intel(files.gl_pathv[i]);
    globfree(&files);
    return found;
}

const struct activity_vendor level_zero_vendor = {
    .runtime = "libze_loader.so",
    .variables = (const char *const[]){"PAPI_INTEL_GPU_ROOT", NULL},
    .shown = shown,
    .start = start,
    .now = activity_clock,
    .flush = lz_take_ended,
    .dropped = dropped,
    .describe = describe,
    .count = count,
};
