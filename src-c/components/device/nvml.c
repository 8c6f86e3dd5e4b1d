/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Power, clocks, temperature and use of NVIDIA's devices, "nvml:::Tesla_V100:device_0:power", by the library
 * that their driver brings. It is loaded when somebody asks for its events, and stays as long as their list.
 */
#include "components/components.h"
#include "components/device/device_library.h"
#include "components/file_group.h"
#include "components/free_running.h"
#include "papi.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libnvidia-ml.so.1"

enum { MOST_DEVICES = 64, NAME_LENGTH = 64 };

/* Numbers and structures of nvml.h, which do not change. */
enum {
    NVML_SUCCESS = 0,
    NVML_NOT_SUPPORTED = 3,
    NVML_NO_PERMISSION = 4,
    NVML_NOT_FOUND = 6,
    NVML_DRIVER_NOT_LOADED = 9,
    NVML_TIMEOUT = 10,
    NVML_FUNCTION_NOT_FOUND = 13,
    NVML_GPU_IS_LOST = 15,
    NVML_RESET_REQUIRED = 16,
    NVML_IN_USE = 19,
    NVML_MEMORY = 20,
};
enum { CORRECTED = 0, UNCORRECTED = 1, VOLATILE = 0 }; /* errors since the driver was loaded */
enum { OF_L1, OF_L2, OF_MEMORY, OF_REGISTERS };
enum { GRAPHICS, SM, MEMORY };
enum { OF_THE_CHIP };

typedef int of_device(void *device, void *out);
typedef int of_device_by(void *device, int which, void *out);
typedef int of_device_by_two(void *device, int first, int second, void *out);
typedef int of_device_by_three(void *device, int first, int second, int third, void *out);
typedef int limits_of_device(void *device, unsigned *low, unsigned *high);

/* The form of a function's call, and which of the numbers that it returns is the event's. */
enum call { ONE, BY_ONE, BY_TWO, BY_THREE, TWO_LIMITS };
enum size { SHORT, LONG }; /* unsigned, unsigned long long */

struct row {
    struct component_event event;
    const char *function;
    enum call call;
    enum size size;
    int index, first, second, third;
};

#define LEVEL(NAME, DESCRIPTION, UNIT)                                                                       \
    {                                                                                                        \
        NAME, DESCRIPTION, .unit = UNIT, .level = true                                                       \
    }
#define COUNTER(NAME, DESCRIPTION, UNIT)                                                                     \
    {                                                                                                        \
        NAME, DESCRIPTION, .unit = UNIT                                                                      \
    }
#define ERRORS(NAME, WHERE, KIND, PLACE)                                                                     \
    {                                                                                                        \
        COUNTER(NAME, WHERE " since the driver was loaded", "errors"), "nvmlDeviceGetMemoryErrorCounter",    \
            BY_THREE, LONG, .first = KIND, .second = VOLATILE, .third = PLACE                                \
    }

static const struct row rows[] = {
    {LEVEL("power", "Power that the device uses now", "mW"), "nvmlDeviceGetPowerUsage", .call = ONE},
    {COUNTER("total_energy_consumption", "Energy that the device used", "mJ"),
     "nvmlDeviceGetTotalEnergyConsumption", .size = LONG},
    {LEVEL("temperature", "Temperature of the chip", "degree C"), "nvmlDeviceGetTemperature", BY_ONE,
     .first = OF_THE_CHIP},
    {LEVEL("gpu_utilization", "Part of the last second or less in which the device ran a kernel", "percent"),
     "nvmlDeviceGetUtilizationRates", .index = 0},
    {LEVEL("memory_utilization",
           "Part of the last second or less in which the device's memory was read or written", "percent"),
     "nvmlDeviceGetUtilizationRates", .index = 1},
    {LEVEL("total_memory", "Memory of the device", "bytes"), "nvmlDeviceGetMemoryInfo", .size = LONG,
     .index = 0},
    {LEVEL("unallocated_memory", "Memory of the device that is free", "bytes"), "nvmlDeviceGetMemoryInfo",
     .size = LONG, .index = 1},
    {LEVEL("allocated_memory", "Memory of the device that is in use", "bytes"), "nvmlDeviceGetMemoryInfo",
     .size = LONG, .index = 2},
    {LEVEL("graphics_clock", "Clock of the graphics engine", "MHz"), "nvmlDeviceGetClockInfo", BY_ONE,
     .first = GRAPHICS},
    {LEVEL("sm_clock", "Clock of the multiprocessors", "MHz"), "nvmlDeviceGetClockInfo", BY_ONE, .first = SM},
    {LEVEL("memory_clock", "Clock of the memory", "MHz"), "nvmlDeviceGetClockInfo", BY_ONE, .first = MEMORY},
    {LEVEL("fan_speed", "Speed of the fan, of the greatest that it is meant for", "percent"),
     "nvmlDeviceGetFanSpeed", .call = ONE},
    {LEVEL("pstate", "State of performance, from 0 (fastest) to 15 (slowest); 32: not known", NULL),
     "nvmlDeviceGetPerformanceState", .call = ONE},
    {{"power_management_limit", "Power that the device is allowed to use", .unit = "mW", .level = true,
      .writable = true},
     "nvmlDeviceGetPowerManagementLimit",
     .call = ONE},
    {LEVEL("power_management_limit_constraint_min", "The lowest limit of the power that can be set", "mW"),
     "nvmlDeviceGetPowerManagementLimitConstraints", TWO_LIMITS, .index = 0},
    {LEVEL("power_management_limit_constraint_max", "The highest limit of the power that can be set", "mW"),
     "nvmlDeviceGetPowerManagementLimitConstraints", TWO_LIMITS, .index = 1},
    {COUNTER("total_ecc_errors", "Errors of memory that could not be corrected", "errors"),
     "nvmlDeviceGetTotalEccErrors", BY_TWO, LONG, .first = UNCORRECTED, .second = VOLATILE},
    ERRORS("l1_single_ecc_errors", "Corrected errors of the first-level cache", CORRECTED, OF_L1),
    ERRORS("l2_single_ecc_errors", "Corrected errors of the second-level cache", CORRECTED, OF_L2),
    ERRORS("memory_single_ecc_errors", "Corrected errors of the memory", CORRECTED, OF_MEMORY),
    ERRORS("regfile_single_ecc_errors", "Corrected errors of the registers", CORRECTED, OF_REGISTERS),
    ERRORS("l1_double_ecc_errors", "Uncorrected errors of the first-level cache", UNCORRECTED, OF_L1),
    ERRORS("l2_double_ecc_errors", "Uncorrected errors of the second-level cache", UNCORRECTED, OF_L2),
    ERRORS("memory_double_ecc_errors", "Uncorrected errors of the memory", UNCORRECTED, OF_MEMORY),
    ERRORS("regfile_double_ecc_errors", "Uncorrected errors of the registers", UNCORRECTED, OF_REGISTERS),
};

enum { ROWS = sizeof rows / sizeof *rows };

/* The library with its devices; what it does not have is NULL. */
struct nvml {
    void *library;
    int (*init)(void), (*shutdown)(void);
    int (*count)(unsigned *n);
    int (*handle)(unsigned index, void **device);
    int (*name)(void *device, char *name, unsigned size);
    int (*set_limit)(void *device, unsigned milliwatts);
    const char *(*error)(int result);
    void (*function[ROWS])(void);
    int n_devices;
    void *device[MOST_DEVICES];
};

/* ---- errors */

static int code_of(int result)
{
    switch (result) {
    case NVML_NO_PERMISSION:
        return PAPI_EPERM;
    case NVML_NOT_SUPPORTED:
    case NVML_NOT_FOUND:
    case NVML_GPU_IS_LOST: /* fell off the bus: no question brings it back */
    case NVML_FUNCTION_NOT_FOUND:
        return PAPI_ENOEVNT;
    case NVML_DRIVER_NOT_LOADED:
        return PAPI_ENOSUPP;
    case NVML_MEMORY:
        return PAPI_ENOMEM;
    case NVML_TIMEOUT:
    case NVML_IN_USE:
    case NVML_RESET_REQUIRED:
        return PAPI_ESYS; /* may be gone at the next question */
    default:
        return PAPI_EMISC;
    }
}

static int failed(const struct nvml *nvml, int result, const char *what, struct reason *why)
{
    return reason_set(why, code_of(result), "%s: the NVIDIA driver's library answers \"%s\" (%d)", what,
                      nvml->error != NULL ? nvml->error(result) : "an error", result);
}

/* ---- library */

static const struct device_library_source driver = {
    .files = (const char *const[]){LIBRARY, NULL},
    .file_variable = "PAPI_NVML_MAIN",
    .advice =
        "which the driver of NVIDIA's devices brings: install the driver, or name the library's folder in "
        "LD_LIBRARY_PATH, or the file in PAPI_NVML_MAIN",
};

#define FUNCTION(NAME, MEMBER, NEED)                                                                         \
    {                                                                                                        \
        NAME, offsetof(struct nvml, MEMBER), NEED                                                            \
    }

static const struct device_function functions[] = {
    FUNCTION("nvmlInit_v2", init, DEVICE_NEEDED),
    FUNCTION("nvmlShutdown", shutdown, DEVICE_NEEDED),
    FUNCTION("nvmlDeviceGetCount_v2", count, DEVICE_NEEDED),
    FUNCTION("nvmlDeviceGetHandleByIndex_v2", handle, DEVICE_NEEDED),
    FUNCTION("nvmlDeviceGetName", name, DEVICE_NEEDED),
    FUNCTION("nvmlErrorString", error, DEVICE_OPTIONAL),
    FUNCTION("nvmlDeviceSetPowerManagementLimit", set_limit, DEVICE_OPTIONAL),
};

static int find_functions(struct nvml *nvml, struct reason *why)
{
    for (int i = 0; i < ROWS; i++) {
        struct device_function of_row = {rows[i].function, 0, DEVICE_OPTIONAL};
        device_library_functions(nvml->library, LIBRARY, &of_row, 1, &nvml->function[i], NULL);
    }
    return device_library_functions(nvml->library, LIBRARY, functions, sizeof functions / sizeof *functions,
                                    nvml, why);
}

static int count_devices(struct nvml *nvml, struct reason *why)
{
    unsigned n = 0;
    int result = nvml->count(&n);
    if (result != NVML_SUCCESS)
        return failed(nvml, result, "the number of devices", why);
    nvml->n_devices = n < MOST_DEVICES ? (int)n : MOST_DEVICES;
    return n > 0 ? PAPI_OK
                 : reason_set(why, PAPI_ENOSUPP,
                              "there is no device here that the NVIDIA driver serves, or none that this "
                              "container or job may use");
}

static void close_nvml(void *opened)
{
    struct nvml *nvml = opened;
    sigset_t before = device_hold_signals();
    nvml->shutdown();
    device_release_signals(before);
    dlclose(nvml->library);
    free(nvml);
}

static int load(struct nvml *nvml, const char *root, struct reason *why)
{
    int code = device_library_load(&driver, root, &nvml->library, why);
    if (code != PAPI_OK)
        return code;
    code = find_functions(nvml, why);
    int result = code == PAPI_OK ? nvml->init() : NVML_SUCCESS;
    if (result != NVML_SUCCESS)
        code = failed(nvml, result, LIBRARY " does not start", why);
    if (code != PAPI_OK)
        dlclose(nvml->library);
    return code;
}

static int open_nvml(const char *root, struct nvml **out, struct reason *why)
{
    struct nvml *nvml = calloc(1, sizeof *nvml);
    if (nvml == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    int code = load(nvml, root, why);
    if (code != PAPI_OK) {
        free(nvml);
        return code;
    }
    code = count_devices(nvml, why);
    if (code != PAPI_OK)
        close_nvml(nvml);
    *out = nvml;
    return code;
}

/* ---- numbers */

union answer {
    unsigned small[4];
    unsigned long long large[4];
};

static int call(const struct row *row, void (*function)(void), void *device, union answer *answer)
{
    switch (row->call) {
    case BY_ONE:
        return ((of_device_by *)function)(device, row->first, answer);
    case BY_TWO:
        return ((of_device_by_two *)function)(device, row->first, row->second, answer);
    case BY_THREE:
        return ((of_device_by_three *)function)(device, row->first, row->second, row->third, answer);
    case TWO_LIMITS:
        return ((limits_of_device *)function)(device, &answer->small[0], &answer->small[1]);
    default:
        return ((of_device *)function)(device, answer);
    }
}

static int device_of(const struct component_event *event)
{
    return (int)event->config / ROWS;
}

static int ask_row(const struct nvml *nvml, int device, int i, uint64_t *now)
{
    union answer answer = {.large = {0}};
    int result = call(&rows[i], nvml->function[i], nvml->device[device], &answer);
    *now = rows[i].size == LONG ? answer.large[rows[i].index] : answer.small[rows[i].index];
    return result;
}

static int ask(const struct component_event *event, uint64_t *now, struct reason *why)
{
    const struct nvml *nvml = event->opened;
    sigset_t before = device_hold_signals();
    int result = ask_row(nvml, device_of(event), (int)event->config % ROWS, now);
    device_release_signals(before);
    return result == NVML_SUCCESS ? PAPI_OK : failed(nvml, result, event->name, why);
}

static int set(const struct component_event *event, long long value, struct reason *why)
{
    const struct nvml *nvml = event->opened;
    if (nvml->set_limit == NULL)
        return reason_set(why, PAPI_ECMP, "%s: " LIBRARY " has no function that sets it", event->name);
    if (value < 0 || value > UINT32_MAX)
        return reason_set(why, PAPI_EINVAL, "%s cannot be set to %lld", event->name, value);
    sigset_t before = device_hold_signals();
    int result = nvml->set_limit(nvml->device[device_of(event)], (unsigned)value);
    device_release_signals(before);
    if (result == NVML_SUCCESS)
        return PAPI_OK;
    int code = failed(nvml, result, event->name, why);
    return code == PAPI_EMISC
               ? reason_set(why, PAPI_EINVAL, "%s cannot be set to %lld (%d)", event->name, value, result)
               : code;
}

static const struct function_source source = {.ask = ask, .set = set};

/* ---- list */

/* The device's handle and its name without blanks. */
static int take_device(struct nvml *nvml, int i, char name[NAME_LENGTH])
{
    int result = nvml->handle((unsigned)i, &nvml->device[i]);
    if (result == NVML_SUCCESS)
        result = nvml->name(nvml->device[i], name, NAME_LENGTH);
    name[result == NVML_SUCCESS ? NAME_LENGTH - 1 : 0] = '\0';
    for (char *p = name; *p != '\0'; p++)
        *p = *p == ' ' || *p == '\t' ? '_' : *p;
    return result;
}

/* Lists a device's events but those that it does not have; one that fails otherwise says so when it is added.
 */
static int list_device(struct event_list *list, struct nvml *nvml, int device, const char *name,
                       struct reason *why)
{
    char text[PAPI_MIN_STR_LEN];
    uint64_t now;
    int code = PAPI_OK;
    for (int i = 0; i < ROWS && code == PAPI_OK; i++) {
        if (nvml->function[i] == NULL || ask_row(nvml, device, i, &now) == NVML_NOT_SUPPORTED)
            continue;
        struct component_event event = rows[i].event;
        snprintf(text, sizeof text, "%.*s:device_%d:%s", NAME_LENGTH, name, device, rows[i].event.name);
        event.name = text;
        event.config = (uint64_t)device * ROWS + (uint64_t)i;
        event.opened = nvml;
        code = event_list_add(list, &event, why);
    }
    return code;
}

static int list_all(const char *root, struct event_list *list, struct reason *why)
{
    struct nvml *nvml;
    char name[NAME_LENGTH];
    int code = open_nvml(root, &nvml, why);
    if (code != PAPI_OK)
        return code_passes(code) ? code : PAPI_OK;
    code = event_list_open(list, nvml, close_nvml, why);
    for (int i = 0; code == PAPI_OK && i < nvml->n_devices; i++)
        if (take_device(nvml, i, name) == NVML_SUCCESS)
            code = list_device(list, nvml, i, name, why);
    return code;
}

static int list_events(const char *root, struct event_list *list, struct reason *why)
{
    sigset_t before = device_hold_signals();
    int code = list_all(root, list, why);
    device_release_signals(before);
    return code;
}

/* ---- component */

static void note_lost(struct nvml *nvml, struct component_state *state)
{
    char name[NAME_LENGTH], what[32];
    for (int i = 0; i < nvml->n_devices; i++) {
        int result = take_device(nvml, i, name);
        snprintf(what, sizeof what, "device %d", i);
        if (result != NVML_SUCCESS)
            failed(nvml, result, what, &state->partially_disabled);
    }
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct nvml *nvml;
    sigset_t before = device_hold_signals();
    if (open_nvml(pmus->root, &nvml, &state->disabled) == PAPI_OK) {
        note_lost(nvml, state);
        close_nvml(nvml);
    }
    device_release_signals(before);
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    (void)pmus, (void)domain;
    return function_try(&source, event, why);
}

static struct counter_group *create(const struct group_options *options)
{
    return function_create(options, &source);
}

const struct component nvml_component = {
    LISTING_MEMBERS("nvml"),
    .granularity = PAPI_GRN_SYS,
    .check_options = file_check_options,
    .description = "Power, clocks, temperature and use of NVIDIA's devices",
    .list = list_events,
    .discover = discover,
    .try_event = try_event,
    .create = create,
};
