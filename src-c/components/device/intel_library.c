/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/device_places.h"
#include "components/device/intel.h"
#include "components/file_group.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* ---- library */

#define ROW(member, name, arguments) DEVICE_FUNCTION(lz_functions, member, name, DEVICE_NEEDED),
static const struct device_function functions[] = {LZ_FUNCTIONS(ROW)};

static int count_entry(void *context, const char *entry, struct reason *why)
{
    (void)entry, (void)why;
    ++*(int *)context;
    return PAPI_OK;
}

/* Has the driver begin with its metrics. A thread may be reading the environment, so it is changed only while
 * there is none; otherwise the user has to. */
static int enable_metrics(struct reason *why)
{
    int threads = 0;
    const char *set = secure_getenv("ZET_ENABLE_METRICS");
    if (set != NULL && strcmp(set, "1") == 0)
        return PAPI_OK;
    int code = files_each("", "/proc/self/task", "", count_entry, &threads, why);
    if (code != PAPI_OK)
        return code;
    if (threads != 1)
        return reason_set(
            why, PAPI_ENOSUPP,
            "the program has threads, while which the environment is not changed, and the driver "
            "of Intel's devices needs a variable: start the program with ZET_ENABLE_METRICS=1");
    return setenv("ZET_ENABLE_METRICS", "1", 1) == 0 ? PAPI_OK
                                                     : reason_set(why, PAPI_ENOMEM, "out of memory");
}

static int load(struct intel *intel, const char *root, struct reason *why)
{
    int code = device_library_open(&level_zero_places, root, &intel->units.library, functions,
                                   sizeof functions / sizeof *functions, &intel->call, why)
                   ?: enable_metrics(why);
    int status = code == PAPI_OK ? intel->call.init(0) : LZ_SUCCESS;
    return status == LZ_SUCCESS ? code : intel_failed(status, "zeInit", why);
}

/* Finds out whether there is a device at all. Who names the library's folder has it loaded all the same. */
static int find_device(const char *root, struct reason *why)
{
    const struct device_trace trace = {"/sys/class/drm", "renderD", "device/vendor", 0x8086,
                                       "there is no device of Intel's here that computes (no "
                                       "/sys/class/drm/renderD*/device/vendor is 0x8086), "
                                       "or none that this container or job may use"};
    return device_setting("PAPI_INTEL_GPU_ROOT") != NULL ? PAPI_OK : device_shown(&trace, root, why);
}

/* ---- lists */

/* Asks for a list of handles, at most so many; *n is their number. NULL: there are none, or no memory. */
static void **ask_list(int (*ask)(void *of, uint32_t *n, void **handle), void *of, uint32_t *n, int *status)
{
    enum { MOST = 4096 };
    *n = 0;
    *status = ask(of, n, NULL);
    *n = *n < MOST ? *n : MOST;
    void **handle = *status == LZ_SUCCESS && *n > 0 ? calloc(*n, sizeof *handle) : NULL;
    uint32_t room = *n;
    if (handle != NULL)
        *status = ask(of, n, handle);
    *n = *status != LZ_SUCCESS || handle == NULL ? 0 : *n < room ? *n : room;
    return handle;
}

/* True if a name, which may fill its array, can be a half of an event's. */
static bool is_half(const char name[LZ_NAME])
{
    return strnlen(name, LZ_NAME) < PAPI_MIN_STR_LEN / 2 && device_is_name(name);
}

/* Chooses a metric's value: of a rate (bytes a second) and of a share it is the mean of the numbers. */
static enum device_value value_of(const struct lz_metric_properties *metric)
{
    bool rate = strchr(metric->unit, '/') != NULL || strstr(metric->unit, "pS") != NULL ||
                strstr(metric->unit, "ps") != NULL || strchr(metric->unit, '%') != NULL ||
                strcasecmp(metric->unit, "percent") == 0 || strstr(metric->unit, "Hz") != NULL;
    switch (metric->type) {
    case LZ_DURATION:
    case LZ_EVENT:
    case LZ_EVENT_WITH_RANGE:
    case LZ_THROUGHPUT:
        return rate ? DEVICE_MEAN : DEVICE_SUM;
    case LZ_RATIO:
        return DEVICE_MEAN;
    default:
        return DEVICE_LAST;
    }
}

static int add_metric(const struct intel *intel, struct device_unit *unit, const char *group,
                      struct device_metric added)
{
    struct lz_metric_properties metric = {.structure = LZ_METRIC_PROPERTIES};
    char name[PAPI_MIN_STR_LEN];
    if (intel->call.metric_properties((void *)(uintptr_t)added.id, &metric) != LZ_SUCCESS ||
        !is_half(metric.name) || metric.type > LZ_RAW || metric.value > LZ_BOOL8)
        return PAPI_OK;
    metric.unit[LZ_NAME - 1] = '\0';
    snprintf(name, sizeof name, "%s.%s", group, metric.name);
    added.name = name;
    added.value = value_of(&metric);
    return device_add_metric(unit, &added);
}

static int add_group(const struct intel *intel, struct device_unit *unit, void *handle)
{
    struct lz_group_properties group = {.structure = LZ_GROUP_PROPERTIES};
    uint32_t n;
    int status, code = PAPI_OK;
    if (intel->call.group_properties(handle, &group) != LZ_SUCCESS || (group.sampling & LZ_TIME_BASED) == 0 ||
        !is_half(group.name))
        return PAPI_OK;
    void **metric = ask_list(intel->call.metrics, handle, &n, &status);
    for (uint32_t i = 0; i < n && code == PAPI_OK; i++)
        code = add_metric(
            intel, unit, group.name,
            (struct device_metric){
                .id = (uintptr_t)metric[i], .group = handle, .n_in_group = (int)n, .index = (int)i});
    free(metric);
    return code;
}

static int add_unit(struct intel *intel, void *context, void *handle, int device, int tile,
                    struct reason *why)
{
    uint32_t n;
    int status, code = PAPI_OK;
    struct device_unit *unit = device_add_unit(&intel->units, device, tile);
    if (unit == NULL)
        return PAPI_OK;
    intel->of_unit[intel->units.n_units - 1].context = context;
    intel->of_unit[intel->units.n_units - 1].handle = handle;
    void **group = ask_list(intel->call.groups, handle, &n, &status);
    for (uint32_t i = 0; i < n && code == PAPI_OK; i++)
        code = add_group(intel, unit, group[i]);
    free(group);
    if (status != LZ_SUCCESS && tile < 0)
        return intel_failed(status, "the metrics of a device", why);
    return code == PAPI_OK ? PAPI_OK : reason_set(why, code, "out of memory");
}

/* Adds a device, if it is one that computes, and its tiles. */
static int add_device(struct intel *intel, void *context, void *handle, struct reason *why)
{
    struct lz_device_properties device = {.structure = LZ_DEVICE_PROPERTIES};
    uint32_t n;
    int status;
    if (intel->call.properties(handle, &device) != LZ_SUCCESS || device.type != LZ_GPU)
        return PAPI_OK;
    int index = intel->units.n_devices++, code = add_unit(intel, context, handle, index, -1, why);
    void **tile = ask_list(intel->call.tiles, handle, &n, &status);
    for (uint32_t i = 0; i < n && code == PAPI_OK; i++)
        code = add_unit(intel, context, tile[i], index, (int)i, why);
    free(tile);
    return code;
}

static int add_driver(struct intel *intel, void *driver, struct reason *why)
{
    const struct lz_context wanted = {.structure = LZ_CONTEXT};
    void *context = NULL;
    uint32_t n;
    int code = PAPI_OK, status = intel->call.create_context(driver, &wanted, &context);
    if (status != LZ_SUCCESS)
        return intel_failed(status, "zeContextCreate", why);
    void **device = ask_list(intel->call.devices, driver, &n, &status);
    for (uint32_t i = 0; i < n && code == PAPI_OK; i++)
        code = add_device(intel, context, device[i], why);
    free(device);
    return status == LZ_SUCCESS ? code : intel_failed(status, "zeDeviceGet", why);
}

static int ask_drivers(void *intel, uint32_t *n, void **driver)
{
    return ((struct intel *)intel)->call.drivers(n, driver);
}

static int find_devices(struct intel *intel, struct reason *why)
{
    uint32_t n;
    int status, code = PAPI_OK, n_metrics = 0;
    void **driver = ask_list(ask_drivers, intel, &n, &status);
    for (uint32_t i = 0; i < n && code == PAPI_OK; i++)
        code = add_driver(intel, driver[i], why);
    free(driver);
    for (int i = 0; i < intel->units.n_units; i++)
        n_metrics += intel->units.unit[i].n_metrics;
    if (status != LZ_SUCCESS)
        return intel_failed(status, "zeDriverGet", why);
    return code != PAPI_OK || n_metrics > 0
               ? code
               : reason_set(why, PAPI_ENOSUPP, "Level Zero has %s: metrics take " INTEL_METRICS_ADVICE,
                            intel->units.n_devices > 0 ? "devices without metrics"
                                                       : "no device that computes");
}

static uint32_t period(void)
{
    enum { USUAL = 400000, LEAST = 100000, MOST = 1000000000 };
    const char *text = secure_getenv("METRICS_SAMPLING_PERIOD");
    long long wanted = text != NULL ? strtoll(text, NULL, 10) : USUAL;
    return wanted >= LEAST && wanted <= MOST ? (uint32_t)wanted : USUAL;
}

/* Opens the library, which stays: its driver has threads. */
int intel_open(struct device_units *units, const char *root, struct reason *why)
{
    struct intel *intel = (struct intel *)units;
    const char *by_query = device_setting("ZE_ENABLE_TRACING_LAYER");
    int code = find_device(root, why);
    if (code == PAPI_OK && by_query != NULL && strcmp(by_query, "1") == 0)
        return reason_set(
            why, PAPI_ENOSUPP,
            "ZE_ENABLE_TRACING_LAYER=1 asks for counts of each kernel, which this library does not have: "
            "without it, the device's counters are sampled all the time");
    intel->period = period();
    return code ?: load(intel, root, why) ?: find_devices(intel, why);
}
