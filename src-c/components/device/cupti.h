/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The functions of CUDA's driver and of CUPTI that the component cuda calls, from CUDA 12.6 on. Declared
 * here, because the machine that builds the library has neither, and a header of CUPTI's is for C++ alone.
 * The test components.cuda_layout compares the structures with those of an installed toolkit.
 *
 * CUPTI takes a structure whose first member is its size up to the end of the last member: what the compiler
 * puts behind that does not count. */

#define CUPTI_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)NULL)->last))

/* Begins the members of a structure of parameters: struct cupti_start start = {CUPTI_HEAD(start, object)}. */
#define CUPTI_HEAD(variable, last) .size = CUPTI_SIZE(__typeof__(variable), last)

enum {
    CUPTI_OK = 0,
    CUPTI_INVALID_PARAMETER = 1,
    CUPTI_OUT_OF_MEMORY = 8,
    CUPTI_INVALID_METRIC_NAME = 17,
    CUPTI_NOT_SUPPORTED = 27,
    CUPTI_VIRTUAL = 33,
    CUPTI_NO_PRIVILEGE = 35,
    CUPTI_ANOTHER_SUBSCRIBER = 39,
    CUPTI_VIRTUAL_NOT_ALLOWED = 40,
    CUPTI_CONFIDENTIAL = 41,
    CUPTI_MINING = 42,
    CUPTI_MIG = 43,
    CUPTI_SLI = 44,
    CUPTI_INVALID_CHIP = 46,

    CUPTI_RANGE_PROFILER = 0, /* a type of profiler, and a kind of interface */
    CUPTI_METRIC_TYPES = 3,   /* counters, ratios, throughputs */
    CUPTI_USER_RANGE = 2,
    CUPTI_USER_REPLAY = 3,
    CUPTI_LEVEL_DISABLED = 2,
    CUPTI_LEVEL_SUPPORTED = 3,
};

enum { CUDA_OUT_OF_MEMORY = 2, CUDA_NO_DEVICE = 100 };

/* Answers that say what a device lacks, and what helps. */
#define CUPTI_ANSWERS(ANSWER)                                                                                \
    ANSWER(                                                                                                  \
        CUPTI_NO_PRIVILEGE, PAPI_EPERM,                                                                      \
        "the driver lets only administrators count: as root, write \"options nvidia "                        \
        "NVreg_RestrictProfilingToAdminUsers=0\" to /etc/modprobe.d/nvidia-profiling.conf and restart the "  \
        "machine, or run the program with CAP_SYS_ADMIN (sudo; in a container --cap-add=SYS_ADMIN)")         \
    ANSWER(CUPTI_ANOTHER_SUBSCRIBER, PAPI_ECNFLCT,                                                           \
           "another profiler has the counters (nsys, ncu, cuda-gdb, or DCGM: dcgmi profile --pause)")        \
    ANSWER(CUPTI_VIRTUAL, PAPI_ENOSUPP,                                                                      \
           "it is a virtual device, which has no counters: run on the host, or on a device "                 \
           "that is passed through")                                                                         \
    ANSWER(CUPTI_VIRTUAL_NOT_ALLOWED, PAPI_EPERM,                                                            \
           "it is a virtual device, whose hypervisor does not allow it: have its administrator set "         \
           "enable_profiling=1")                                                                             \
    ANSWER(CUPTI_CONFIDENTIAL, PAPI_ENOSUPP,                                                                 \
           "confidential computing is on, which hides the counters: nvidia-smi conf-compute -f shows it")    \
    ANSWER(CUPTI_MINING, PAPI_ENOSUPP, "it is a processor for mining, whose counters CUPTI does not show")   \
    ANSWER(CUPTI_MIG, PAPI_ENOSUPP,                                                                          \
           "it is a part of a device (MIG), whose counters CUPTI does not show: as root, nvidia-smi -mig 0") \
    ANSWER(CUPTI_SLI, PAPI_ENOSUPP, "it is one of linked devices (SLI), whose counters CUPTI does not show") \
    ANSWER(CUPTI_NOT_SUPPORTED, PAPI_ENOSUPP,                                                                \
           "this toolkit's CUPTI does not count on it: toolkit 12 counts from Volta (7.0) on, 13 from "      \
           "Turing (7.5) "                                                                                   \
           "on; PAPI_CUDA_ROOT names another toolkit")                                                       \
    ANSWER(CUPTI_INVALID_CHIP, PAPI_ENOSUPP,                                                                 \
           "this toolkit's CUPTI does not know the chip: install a newer toolkit, and name it in "           \
           "PAPI_CUDA_ROOT")                                                                                 \
    ANSWER(CUPTI_OUT_OF_MEMORY, PAPI_ENOMEM, "out of memory")
#define CUDA_DRIVER_ANSWERS(ANSWER) ANSWER(CUDA_OUT_OF_MEMORY, PAPI_ENOMEM, "")

struct cupti_chip_name {
    size_t size;
    void *reserved;
    size_t device;
    const char *chip;
};

struct cupti_initialize {
    size_t size;
    void *reserved;
};

struct cupti_device_supported {
    size_t size;
    void *reserved;
    int device, all;
    int architecture, sli, virtual_device, confidential, mining, wsl;
    int interface;
};

struct cupti_availability {
    size_t size;
    void *reserved, *context;
    size_t image_size;
    uint8_t *image;
};

struct cupti_host_initialize {
    size_t size;
    void *reserved;
    int profiler;
    const char *chip;
    const uint8_t *availability;
    void *host;
};

struct cupti_host_end {
    size_t size;
    void *reserved, *host;
};

struct cupti_base_metrics {
    size_t size;
    void *reserved, *host;
    int type;
    const char **name;
    size_t n;
};

struct cupti_sub_metrics {
    size_t size;
    void *reserved, *host;
    int type;
    const char *metric;
    size_t n;
    const char **name;
};

struct cupti_properties {
    size_t size;
    void *reserved, *host;
    const char *metric;
    const char *description, *hardware_unit, *unit;
    int type;
};

struct cupti_add_metrics {
    size_t size;
    void *reserved, *host;
    const char **name;
    size_t n;
};

struct cupti_config_size {
    size_t size;
    void *reserved, *host;
    size_t image_size;
};

struct cupti_config_image {
    size_t size;
    void *reserved, *host;
    size_t image_size;
    uint8_t *image;
};

struct cupti_passes {
    size_t size;
    void *reserved;
    size_t image_size;
    uint8_t *image;
    size_t n;
};

struct cupti_evaluate {
    size_t size;
    void *reserved, *host;
    const uint8_t *data;
    size_t data_size;
    size_t range;
    const char **name;
    size_t n;
    double *value;
};

struct cupti_enable {
    size_t size;
    void *reserved, *context, *object;
};

/* Parameters of Disable, Start and PopRange. */
struct cupti_object {
    size_t size;
    void *reserved, *object;
};

struct cupti_data_size {
    size_t size;
    void *reserved, *object;
    const char **name;
    size_t n;
    size_t ranges;
    uint32_t nodes;
    size_t data_size;
};

struct cupti_data_initialize {
    size_t size;
    void *reserved, *object;
    size_t data_size;
    uint8_t *data;
};

struct cupti_set_config {
    size_t size;
    void *reserved, *object;
    size_t image_size;
    const uint8_t *image;
    size_t data_size;
    uint8_t *data;
    int range, replay;
    size_t ranges;
    uint16_t levels, least_level;
    size_t pass;
    uint16_t level;
};

struct cupti_stop {
    size_t size;
    void *reserved, *object;
    size_t pass, level;
    uint8_t all_submitted;
};

struct cupti_push {
    size_t size;
    void *reserved, *object;
    const char *name;
};

struct cupti_decode {
    size_t size;
    void *reserved, *object;
    size_t dropped;
};

/* ---- functions */

/* Each: its member, its name, its arguments. They return 0 or an error's number. */
#define CUPTI_FUNCTIONS(FUNCTION)                                                                            \
    FUNCTION(version, "cuptiGetVersion", (uint32_t *))                                                       \
    FUNCTION(result_string, "cuptiGetResultString", (int, const char **))                                    \
    FUNCTION(chip_name, "cuptiDeviceGetChipName", (struct cupti_chip_name *))                                \
    FUNCTION(initialize, "cuptiProfilerInitialize", (struct cupti_initialize *))                             \
    FUNCTION(supported, "cuptiProfilerDeviceSupported", (struct cupti_device_supported *))                   \
    FUNCTION(availability, "cuptiProfilerGetCounterAvailability", (struct cupti_availability *))             \
    FUNCTION(host_initialize, "cuptiProfilerHostInitialize", (struct cupti_host_initialize *))               \
    FUNCTION(host_end, "cuptiProfilerHostDeinitialize", (struct cupti_host_end *))                           \
    FUNCTION(base_metrics, "cuptiProfilerHostGetBaseMetrics", (struct cupti_base_metrics *))                 \
    FUNCTION(sub_metrics, "cuptiProfilerHostGetSubMetrics", (struct cupti_sub_metrics *))                    \
    FUNCTION(properties, "cuptiProfilerHostGetMetricProperties", (struct cupti_properties *))                \
    FUNCTION(add_metrics, "cuptiProfilerHostConfigAddMetrics", (struct cupti_add_metrics *))                 \
    FUNCTION(config_size, "cuptiProfilerHostGetConfigImageSize", (struct cupti_config_size *))               \
    FUNCTION(config_image, "cuptiProfilerHostGetConfigImage", (struct cupti_config_image *))                 \
    FUNCTION(passes, "cuptiProfilerHostGetNumOfPasses", (struct cupti_passes *))                             \
    FUNCTION(evaluate, "cuptiProfilerHostEvaluateToGpuValues", (struct cupti_evaluate *))                    \
    FUNCTION(enable, "cuptiRangeProfilerEnable", (struct cupti_enable *))                                    \
    FUNCTION(disable, "cuptiRangeProfilerDisable", (struct cupti_object *))                                  \
    FUNCTION(data_size, "cuptiRangeProfilerGetCounterDataSize", (struct cupti_data_size *))                  \
    FUNCTION(data_initialize, "cuptiRangeProfilerCounterDataImageInitialize",                                \
             (struct cupti_data_initialize *))                                                               \
    FUNCTION(set_config, "cuptiRangeProfilerSetConfig", (struct cupti_set_config *))                         \
    FUNCTION(start, "cuptiRangeProfilerStart", (struct cupti_object *))                                      \
    FUNCTION(stop, "cuptiRangeProfilerStop", (struct cupti_stop *))                                          \
    FUNCTION(push, "cuptiRangeProfilerPushRange", (struct cupti_push *))                                     \
    FUNCTION(pop, "cuptiRangeProfilerPopRange", (struct cupti_object *))                                     \
    FUNCTION(decode, "cuptiRangeProfilerDecodeData", (struct cupti_decode *))

#define CUDA_DRIVER_FUNCTIONS(FUNCTION)                                                                      \
    FUNCTION(init, "cuInit", (unsigned))                                                                     \
    FUNCTION(count, "cuDeviceGetCount", (int *))                                                             \
    FUNCTION(get, "cuDeviceGet", (int *, int))                                                               \
    FUNCTION(name, "cuDeviceGetName", (char *, int, int))                                                    \
    FUNCTION(error_name, "cuGetErrorName", (int, const char **))                                             \
    FUNCTION(current, "cuCtxGetCurrent", (void **))                                                          \
    FUNCTION(set_current, "cuCtxSetCurrent", (void *))                                                       \
    FUNCTION(current_device, "cuCtxGetDevice", (int *))                                                      \
    FUNCTION(retain, "cuDevicePrimaryCtxRetain", (void **, int))                                             \
    FUNCTION(release, "cuDevicePrimaryCtxRelease_v2", (int))                                                 \
    FUNCTION(synchronize, "cuCtxSynchronize", (void))

#define CUDA_FUNCTION_MEMBER(member, name, arguments) int(*member) arguments;
struct cupti {
    CUPTI_FUNCTIONS(CUDA_FUNCTION_MEMBER)
};
struct cuda_driver {
    CUDA_DRIVER_FUNCTIONS(CUDA_FUNCTION_MEMBER)
};
