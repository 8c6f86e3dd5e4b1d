/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Numbers, structures and functions of Level Zero, as far as the component intel_gpu needs them. The test
 * components.real_headers compares them with its headers. */

enum {
    LZ_SUCCESS = 0,
    LZ_NOT_READY = 1,
    LZ_NO_PERMISSION = 0x70010000,
    LZ_NOT_AVAILABLE = 0x70010001,
    LZ_NO_DEPENDENCY = 0x70020000,
    LZ_DROPPED_DATA = 0x70020001,
    LZ_UNINITIALIZED = 0x78000001,
    LZ_UNSUPPORTED = 0x78000003,
    LZ_IN_USE = 0x78000006,
};

#define INTEL_METRICS_ADVICE                                                                                 \
    "the driver's libraries of metrics (libigdmd.so and libigdml.so: intel-metrics-discovery and "           \
    "intel-metrics-library), ZET_ENABLE_METRICS=1, the groups render and video, and as root: sysctl "        \
    "dev.i915.perf_stream_paranoid=0"

/* Answers that say what is missing, and what helps. */
#define LZ_ANSWERS(ANSWER)                                                                                   \
    ANSWER(LZ_UNINITIALIZED, PAPI_ENOSUPP,                                                                   \
           ": no driver of Intel's devices is installed, or none finds a device that this user may use "     \
           "(groups render and video)")                                                                      \
    ANSWER(LZ_NO_PERMISSION, PAPI_EPERM,                                                                     \
           ": the administrator does not allow it; as root: sysctl dev.i915.perf_stream_paranoid=0")         \
    ANSWER(LZ_NO_DEPENDENCY, PAPI_ENOSUPP, ": it takes " INTEL_METRICS_ADVICE)                               \
    ANSWER(LZ_UNSUPPORTED, PAPI_ENOSUPP, ": it takes " INTEL_METRICS_ADVICE)                                 \
    ANSWER(LZ_IN_USE, PAPI_ECNFLCT, ": another program counts on the device")                                \
    ANSWER(LZ_NOT_AVAILABLE, PAPI_ECNFLCT, ": another program counts on the device")

enum { LZ_GPU = 1, LZ_TIME_BASED = 2, LZ_METRIC_VALUES = 0, LZ_NAME = 256 };

enum lz_structure { LZ_DEVICE_PROPERTIES = 0x3, LZ_CONTEXT = 0xd };
enum lz_metric_structure { LZ_GROUP_PROPERTIES = 1, LZ_METRIC_PROPERTIES = 2, LZ_STREAMER = 3 };

enum lz_metric_type {
    LZ_DURATION,
    LZ_EVENT,
    LZ_EVENT_WITH_RANGE,
    LZ_THROUGHPUT,
    LZ_TIMESTAMP,
    LZ_FLAG,
    LZ_RATIO,
    LZ_RAW
};
enum lz_value_type { LZ_UINT32, LZ_UINT64, LZ_FLOAT32, LZ_FLOAT64, LZ_BOOL8 };

struct lz_device_properties {
    enum lz_structure structure;
    void *next;
    int32_t type;
    uint32_t vendor, device, flags, subdevice, clock;
    uint64_t memory;
    uint32_t contexts, priority, threads, width, units, subslices, slices;
    uint64_t timer;
    uint32_t timestamp_bits, kernel_timestamp_bits;
    uint8_t uuid[16];
    char name[LZ_NAME];
};

struct lz_context {
    enum lz_structure structure;
    const void *next;
    uint32_t flags;
};

struct lz_group_properties {
    enum lz_metric_structure structure;
    void *next;
    char name[LZ_NAME], description[LZ_NAME];
    uint32_t sampling, domain, n_metrics;
};

struct lz_metric_properties {
    enum lz_metric_structure structure;
    void *next;
    char name[LZ_NAME], description[LZ_NAME], component[LZ_NAME];
    uint32_t tier;
    enum lz_metric_type type;
    enum lz_value_type value;
    char unit[LZ_NAME];
};

struct lz_streamer {
    enum lz_metric_structure structure;
    const void *next;
    uint32_t notify, period; /* in reports, in nanoseconds */
};

struct lz_value {
    enum lz_value_type type;
    union {
        uint32_t u32;
        uint64_t u64;
        float f32;
        double f64;
        uint8_t b8;
    };
};

/* Each function: its member, its name, its arguments. They return 0 or an error's number. Lists are asked for
 * twice: with 0 for their length, and then for the handles. */
#define LZ_FUNCTIONS(FUNCTION)                                                                               \
    FUNCTION(init, "zeInit", (uint32_t flags))                                                               \
    FUNCTION(drivers, "zeDriverGet", (uint32_t * n, void **driver))                                          \
    FUNCTION(devices, "zeDeviceGet", (void *driver, uint32_t *n, void **device))                             \
    FUNCTION(properties, "zeDeviceGetProperties", (void *device, struct lz_device_properties *properties))   \
    FUNCTION(tiles, "zeDeviceGetSubDevices", (void *device, uint32_t *n, void **tile))                       \
    FUNCTION(create_context, "zeContextCreate",                                                              \
             (void *driver, const struct lz_context *wanted, void **context))                                \
    FUNCTION(groups, "zetMetricGroupGet", (void *device, uint32_t *n, void **group))                         \
    FUNCTION(group_properties, "zetMetricGroupGetProperties",                                                \
             (void *group, struct lz_group_properties *properties))                                          \
    FUNCTION(metrics, "zetMetricGet", (void *group, uint32_t *n, void **metric))                             \
    FUNCTION(metric_properties, "zetMetricGetProperties",                                                    \
             (void *metric, struct lz_metric_properties *properties))                                        \
    FUNCTION(activate, "zetContextActivateMetricGroups",                                                     \
             (void *context, void *device, uint32_t n, void **group))                                        \
    FUNCTION(open, "zetMetricStreamerOpen",                                                                  \
             (void *context, void *device, void *group, struct lz_streamer *wanted, void *event,             \
              void **streamer))                                                                              \
    FUNCTION(read, "zetMetricStreamerReadData",                                                              \
             (void *streamer, uint32_t most_reports, size_t *size, uint8_t *data))                           \
    FUNCTION(close, "zetMetricStreamerClose", (void *streamer))                                              \
    FUNCTION(calculate, "zetMetricGroupCalculateMultipleMetricValuesExp",                                    \
             (void *group, int type, size_t size, const uint8_t *data, uint32_t *n_sets, uint32_t *n_values, \
              uint32_t *values_of_set, struct lz_value *value))

#define LZ_MEMBER(member, name, arguments) int(*member) arguments;
struct lz_functions {
    LZ_FUNCTIONS(LZ_MEMBER)
};
