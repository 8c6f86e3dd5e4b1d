/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"
#include "base/sysroot.h"
#include "components/components.h"
#include "components/device/device_library.h"
#include "components/device/intel.h"
#include "components/file_group.h"
#include "papi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#define LIBRARY "libze_loader.so.1"
#define METRICS_ADVICE                                                                                       \
    "the driver's libraries of metrics (libigdmd.so and libigdml.so: intel-metrics-discovery and "           \
    "intel-metrics-library), ZET_ENABLE_METRICS=1, the groups render and video, and as root: sysctl "        \
    "dev.i915.perf_stream_paranoid=0"

int intel_failed(int status, const char *what, struct reason *why)
{
    const char *text =
        status == LZ_UNINITIALIZED   ? ": no driver of Intel's devices is installed, or none finds a "
                                       "device that this user may use (groups render and video)"
        : status == LZ_NO_PERMISSION ? ": the administrator does not allow it; as root: sysctl "
                                       "dev.i915.perf_stream_paranoid=0"
        : status == LZ_NO_DEPENDENCY || status == LZ_UNSUPPORTED ? ": it takes " METRICS_ADVICE
        : status == LZ_IN_USE || status == LZ_NOT_AVAILABLE      ? ": another program counts on the "
                                                                   "device"
                                                                 : "";
    int code = status == LZ_NO_PERMISSION                          ? PAPI_EPERM
               : status == LZ_IN_USE || status == LZ_NOT_AVAILABLE ? PAPI_ECNFLCT
                                                                   : PAPI_ENOSUPP;
    return reason_set(why, code, "%s: Level Zero answers 0x%x%s", what, (unsigned)status, text);
}

/* ---- library */

#define FUNCTION(NAME, MEMBER)                                                                               \
    {                                                                                                        \
        NAME, offsetof(struct lz_functions, MEMBER), DEVICE_NEEDED                                           \
    }

static const struct device_function functions[] = {
    FUNCTION("zeInit", init),
    FUNCTION("zeDriverGet", drivers),
    FUNCTION("zeDeviceGet", devices),
    FUNCTION("zeDeviceGetProperties", properties),
    FUNCTION("zeDeviceGetSubDevices", tiles),
    FUNCTION("zeContextCreate", create_context),
    FUNCTION("zetMetricGroupGet", groups),
    FUNCTION("zetMetricGroupGetProperties", group_properties),
    FUNCTION("zetMetricGet", metrics),
    FUNCTION("zetMetricGetProperties", metric_properties),
    FUNCTION("zetContextActivateMetricGroups", activate),
    FUNCTION("zetMetricStreamerOpen", open),
    FUNCTION("zetMetricStreamerReadData", read),
    FUNCTION("zetMetricStreamerClose", close),
    FUNCTION("zetMetricGroupCalculateMultipleMetricValuesExp", calculate),
};

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
    const struct device_library_source source = {
        .files = (const char *const[]){LIBRARY, "libze_loader.so", NULL},
        .root_variable = "PAPI_INTEL_GPU_ROOT",
        .folders = (const char *const[]){"lib64", "lib", "lib/x86_64-linux-gnu", NULL},
        .advice =
            "which is in the package libze1 or level-zero: install it with the driver of Intel's devices, or "
            "name the folder that has it in lib64 or lib in PAPI_INTEL_GPU_ROOT",
    };
    int code = device_library_load(&source, root, &intel->library, why);
    if (code != PAPI_OK)
        return code;
    code = device_library_functions(intel->library, LIBRARY, functions, sizeof functions / sizeof *functions,
                                    &intel->call, why)
               ?: enable_metrics(why);
    int status = code == PAPI_OK ? intel->call.init(0) : LZ_SUCCESS;
    return status == LZ_SUCCESS ? code : intel_failed(status, "zeInit", why);
}

/* ---- device in sysfs */

struct search {
    const char *root;
    bool found;
};

static int note_device(void *context, const char *entry, struct reason *why)
{
    struct search *search = context;
    char path[PATH_MAX];
    long long vendor = 0;
    (void)why;
    if (snprintf(path, sizeof path, "/sys/class/drm/%.100s/device/vendor", entry) > 0 &&
        sysroot_number(search->root, path, &vendor) == 0 && vendor == 0x8086)
        search->found = true;
    return PAPI_OK;
}

/* Finds out whether the kernel has a device at all, before a library looks for it. Who names the library's
 * folder has it loaded all the same. */
static int find_device(const char *root, struct reason *why)
{
    struct search search = {root, false};
    const char *folder = secure_getenv("PAPI_INTEL_GPU_ROOT");
    if (folder != NULL && folder[0] != '\0')
        return PAPI_OK;
    int code = files_each(root, "/sys/class/drm", "renderD", note_device, &search, why);
    if (code != PAPI_OK || search.found)
        return code;
    return reason_set(
        why, PAPI_ENOSUPP,
        "there is no device of Intel's here that computes (no /sys/class/drm/renderD*/device/vendor "
        "is 0x8086), or none that this container or job may use");
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

static bool is_name(const char name[LZ_NAME])
{
    size_t n = strnlen(name, LZ_NAME);
    return n > 0 && n < PAPI_MIN_STR_LEN / 2 && strcspn(name, ":= \t\n") == n;
}

/* Chooses a metric's value: of a rate (bytes a second) and of a share it is the mean of the numbers. */
static int value_of(const struct lz_metric_properties *metric)
{
    bool rate = strchr(metric->unit, '/') != NULL || strstr(metric->unit, "pS") != NULL ||
                strstr(metric->unit, "ps") != NULL || strchr(metric->unit, '%') != NULL ||
                strcasecmp(metric->unit, "percent") == 0 || strstr(metric->unit, "Hz") != NULL;
    switch (metric->type) {
    case LZ_DURATION:
    case LZ_EVENT:
    case LZ_EVENT_WITH_RANGE:
    case LZ_THROUGHPUT:
        return rate ? INTEL_MEAN : INTEL_SUM;
    case LZ_RATIO:
        return INTEL_MEAN;
    default:
        return INTEL_LAST;
    }
}

static int add_metric(const struct intel *intel, struct intel_unit *unit, const char *group, void *handle,
                      int index)
{
    struct lz_metric_properties metric = {.structure = LZ_METRIC_PROPERTIES};
    char name[PAPI_MIN_STR_LEN];
    if (intel->call.metric_properties(handle, &metric) != LZ_SUCCESS || !is_name(metric.name) ||
        metric.type > LZ_RAW || metric.value > LZ_BOOL8)
        return PAPI_OK;
    metric.unit[LZ_NAME - 1] = '\0';
    snprintf(name, sizeof name, "%s.%s", group, metric.name);
    char *kept = ARRAY_GROW(unit->metric, unit->n_metrics) ? strdup(name) : NULL;
    if (kept == NULL)
        return PAPI_ENOMEM;
    unit->metric[unit->n_metrics++] =
        (struct intel_metric){.name = kept, .handle = handle, .index = index, .value = value_of(&metric)};
    return PAPI_OK;
}

static int add_group(const struct intel *intel, struct intel_unit *unit, void *handle)
{
    struct lz_group_properties group = {.structure = LZ_GROUP_PROPERTIES};
    uint32_t n;
    int status, code = PAPI_OK;
    if (intel->call.group_properties(handle, &group) != LZ_SUCCESS || (group.sampling & LZ_TIME_BASED) == 0 ||
        !is_name(group.name))
        return PAPI_OK;
    if (!ARRAY_GROW(unit->group, unit->n_groups))
        return PAPI_ENOMEM;
    struct intel_group *added = &unit->group[unit->n_groups++];
    void **metric = ask_list(intel->call.metrics, handle, &n, &status);
    *added = (struct intel_group){.handle = handle, .n_metrics = (int)n, .first = unit->n_metrics};
    for (uint32_t i = 0; i < n && code == PAPI_OK; i++)
        code = add_metric(intel, unit, group.name, metric[i], (int)i);
    added->n = unit->n_metrics - added->first;
    free(metric);
    return code;
}

static int add_unit(struct intel *intel, void *context, void *handle, int device, int tile,
                    struct reason *why)
{
    uint32_t n;
    int status, code = PAPI_OK;
    if (intel->n_units == MOST_DEVICES)
        return PAPI_OK;
    struct intel_unit *unit = &intel->unit[intel->n_units++];
    *unit = (struct intel_unit){.context = context, .handle = handle, .device = device, .tile = tile};
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
    int index = intel->n_devices++, code = add_unit(intel, context, handle, index, -1, why);
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
    for (int i = 0; i < intel->n_units; i++)
        n_metrics += intel->unit[i].n_metrics;
    if (status != LZ_SUCCESS)
        return intel_failed(status, "zeDriverGet", why);
    return code != PAPI_OK || n_metrics > 0
               ? code
               : reason_set(why, PAPI_ENOSUPP, "Level Zero has %s: metrics take " METRICS_ADVICE,
                            intel->n_devices > 0 ? "devices without metrics" : "no device that computes");
}

static void free_intel(struct intel *intel)
{
    for (int i = 0; i < intel->n_units; i++) {
        for (int k = 0; k < intel->unit[i].n_metrics; k++)
            free(intel->unit[i].metric[k].name);
        free(intel->unit[i].metric);
        free(intel->unit[i].group);
    }
    free(intel);
}

static uint32_t period(void)
{
    enum { USUAL = 400000, LEAST = 100000, MOST = 1000000000 };
    const char *text = secure_getenv("METRICS_SAMPLING_PERIOD");
    long long wanted = text != NULL ? strtoll(text, NULL, 10) : USUAL;
    return wanted >= LEAST && wanted <= MOST ? (uint32_t)wanted : USUAL;
}

/* Opens the library, which stays: its driver has threads. */
static int open_new(const char *root, struct intel **out, struct reason *why)
{
    const char *by_query = secure_getenv("ZE_ENABLE_TRACING_LAYER");
    int code = find_device(root, why);
    if (code == PAPI_OK && by_query != NULL && strcmp(by_query, "1") == 0)
        code = reason_set(
            why, PAPI_ENOSUPP,
            "ZE_ENABLE_TRACING_LAYER=1 asks for counts of each kernel, which this library does not have: "
            "without it, the device's counters are sampled all the time");
    struct intel *intel = code == PAPI_OK ? calloc(1, sizeof *intel) : NULL;
    if (intel == NULL)
        return code ?: reason_set(why, PAPI_ENOMEM, "out of memory");
    code = load(intel, root, why) ?: find_devices(intel, why);
    if (code != PAPI_OK) {
        free_intel(intel);
        return code;
    }
    intel->owners.process = getpid();
    intel->period = period();
    *out = intel;
    return PAPI_OK;
}

int intel_open(const char *root, struct intel **out, struct reason *why)
{
    void *_Atomic *kept = component_kept(&intel_gpu_component);
    *out = *kept;
    if (*out != NULL && (*out)->owners.process != getpid())
        return reason_set(
            why, PAPI_ENOSUPP,
            "Level Zero was opened by the process that this one was forked from, and does not work "
            "in its children: fork before the first event of intel_gpu is asked for");
    if (*out != NULL)
        return PAPI_OK;
    int code = open_new(root, out, why);
    if (code == PAPI_OK)
        *kept = *out;
    return code;
}
