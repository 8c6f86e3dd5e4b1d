/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Numbers, structures and functions of rocprofiler-sdk, as far as the component rocp_sdk needs them: from 0.5
 * (ROCm 6.3) to 1. Structures have the members that are used, which are their first. */

enum {
    ROCP_SUCCESS = 0,
    ROCP_CONTEXT_CONFLICT = 12,
    ROCP_CONFIGURATION_LOCKED = 16,
    ROCP_HSA_NOT_LOADED = 22,
    ROCP_INCOMPATIBLE_KERNEL = 28,
    ROCP_OUT_OF_RESOURCES = 29,
    ROCP_NO_HARDWARE_COUNTERS = 35,
    ROCP_EXCEEDS_HW_LIMIT = 38,
    ROCP_ARCH_NOT_SUPPORTED = 39,
    ROCP_PERMISSION_DENIED = 40,
};

/* Answers that say what is missing, and what helps; the code is the caller's. */
#define ROCP_ANSWERS(ANSWER)                                                                                 \
    ANSWER(ROCP_HSA_NOT_LOADED, PAPI_OK,                                                                     \
           "; start counting after the program's first HIP call (hipInit), and add events before it")        \
    ANSWER(ROCP_PERMISSION_DENIED, PAPI_OK,                                                                  \
           "; the user must be in the groups render and video: sudo usermod -aG render,video $USER")         \
    ANSWER(ROCP_INCOMPATIBLE_KERNEL, PAPI_OK, "; the kernel's driver amdgpu is too old for this ROCm")       \
    ANSWER(ROCP_CONTEXT_CONFLICT, PAPI_OK, "; another tool counts on the device")

enum { ROCP_AGENT_GPU = 2 };
enum { ROCP_AGENT_INFO_V0 = 1, ROCP_COUNTER_INFO_V0 = 1 };
enum { ROCP_BUFFER_LOSSLESS = 2 };

/* Handles: of an agent, a counter, a context, a buffer, or a configuration of counters. */
struct rocp_handle {
    uint64_t handle;
};

struct rocp_agent {
    uint64_t size;
    struct rocp_handle id;
    int32_t type;
};

struct rocp_counter_info {
    struct rocp_handle id;
    const char *name, *description, *block, *expression;
    uint8_t is_constant : 1, is_derived : 1;
};

struct rocp_dimension_info {
    const char *name;
    size_t instances;
    uint64_t id;
};

union rocp_user_data {
    uint64_t value;
    void *pointer;
};

/* A counter's value in one instance of each of its dimensions, which id says. */
struct rocp_record {
    uint64_t id;
    double value;
    uint64_t dispatch;
    union rocp_user_data user_data;
    struct rocp_handle agent;
};

struct rocp_dispatch {
    uint64_t size;
    uint64_t correlation[2];
    uint64_t start, end;
    struct {
        uint64_t size;
        struct rocp_handle agent;
        struct rocp_handle queue;
        uint64_t kernel, dispatch;
        uint32_t private_segment, group_segment, workgroup[3], grid[3];
        uint8_t reserved[56];
    } kernel;
};

struct rocp_client {
    size_t size;
    const char *name;
    const uint32_t handle;
};

struct rocp_tool {
    size_t size;
    int (*initialize)(void (*finalize)(struct rocp_client), void *data);
    void (*finalize)(void *data);
    void *data;
};

typedef struct rocp_tool *rocp_configure_function(uint32_t version, const char *runtime, uint32_t priority,
                                                  struct rocp_client *client);
typedef int rocp_set_config_function(struct rocp_handle context, struct rocp_handle config);
typedef void rocp_device_function(struct rocp_handle context, struct rocp_handle agent,
                                  rocp_set_config_function *set_config, void *data);
typedef void rocp_buffer_function(struct rocp_handle context, struct rocp_handle buffer, void **headers,
                                  size_t n, void *data, uint64_t dropped);
typedef void rocp_dispatch_function(struct rocp_dispatch dispatch, struct rocp_handle *config,
                                    union rocp_user_data *user_data, void *data);
typedef void rocp_record_function(struct rocp_dispatch dispatch, struct rocp_record *record, size_t n,
                                  union rocp_user_data user_data, void *data);

/* Each function: its member, its name, its need (device_library.h), its result and its arguments. Those for
 * configurations have one of two names: "counter_config" from 1.0 on, "profile_config" before. */
#define ROCP_FUNCTIONS(FUNCTION)                                                                             \
    FUNCTION(version, "rocprofiler_get_version", DEVICE_NEEDED, int,                                         \
             (uint32_t * major, uint32_t * minor, uint32_t * patch))                                         \
    FUNCTION(text, "rocprofiler_get_status_string", DEVICE_OPTIONAL, const char *, (int status))             \
    FUNCTION(is_initialized, "rocprofiler_is_initialized", DEVICE_NEEDED, int, (int *status))                \
    FUNCTION(configure, "rocprofiler_force_configure", DEVICE_NEEDED, int,                                   \
             (rocp_configure_function * function))                                                           \
    FUNCTION(agents, "rocprofiler_query_available_agents", DEVICE_NEEDED, int,                               \
             (int version, int (*each)(int version, const void **agents, size_t n, void *data),              \
              size_t agent_size, void *data))                                                                \
    FUNCTION(counters, "rocprofiler_iterate_agent_supported_counters", DEVICE_NEEDED, int,                   \
             (struct rocp_handle agent,                                                                      \
              int (*each)(struct rocp_handle agent, struct rocp_handle * counters, size_t n, void *data),    \
              void *data))                                                                                   \
    FUNCTION(counter_info, "rocprofiler_query_counter_info", DEVICE_NEEDED, int,                             \
             (struct rocp_handle counter, int version, void *info))                                          \
    FUNCTION(dimensions, "rocprofiler_iterate_counter_dimensions", DEVICE_NEEDED, int,                       \
             (struct rocp_handle counter,                                                                    \
              int (*each)(struct rocp_handle counter, const struct rocp_dimension_info *dimensions,          \
                          size_t n, void *data),                                                             \
              void *data))                                                                                   \
    FUNCTION(create_context, "rocprofiler_create_context", DEVICE_NEEDED, int,                               \
             (struct rocp_handle * context))                                                                 \
    FUNCTION(context_is_valid, "rocprofiler_context_is_valid", DEVICE_NEEDED, int,                           \
             (struct rocp_handle context, int *valid))                                                       \
    FUNCTION(create_buffer, "rocprofiler_create_buffer", DEVICE_NEEDED, int,                                 \
             (struct rocp_handle context, size_t size, size_t watermark, int policy,                         \
              rocp_buffer_function *function, void *data, struct rocp_handle *buffer))                       \
    FUNCTION(count_device, "rocprofiler_configure_device_counting_service", DEVICE_NEEDED, int,              \
             (struct rocp_handle context, struct rocp_handle buffer, struct rocp_handle agent,               \
              rocp_device_function * function, void *data))                                                  \
    FUNCTION(sample_device, "rocprofiler_sample_device_counting_service", DEVICE_NEEDED, int,                \
             (struct rocp_handle context, union rocp_user_data user_data, int flags,                         \
              struct rocp_record *records, size_t *n))                                                       \
    FUNCTION(count_dispatches, "rocprofiler_configure_callback_dispatch_counting_service", DEVICE_NEEDED,    \
             int,                                                                                            \
             (struct rocp_handle context, rocp_dispatch_function * function, void *data,                     \
              rocp_record_function *record_function, void *record_data))                                     \
    FUNCTION(                                                                                                \
        create_config, "rocprofiler_create_counter_config", DEVICE_OPTIONAL, int,                            \
        (struct rocp_handle agent, struct rocp_handle * counters, size_t n, struct rocp_handle * config))    \
    FUNCTION(destroy_config, "rocprofiler_destroy_counter_config", DEVICE_OPTIONAL, int,                     \
             (struct rocp_handle config))                                                                    \
    FUNCTION(                                                                                                \
        create_old, "rocprofiler_create_profile_config", DEVICE_OPTIONAL, int,                               \
        (struct rocp_handle agent, struct rocp_handle * counters, size_t n, struct rocp_handle * config))    \
    FUNCTION(destroy_old, "rocprofiler_destroy_profile_config", DEVICE_OPTIONAL, int,                        \
             (struct rocp_handle config))                                                                    \
    FUNCTION(start, "rocprofiler_start_context", DEVICE_NEEDED, int, (struct rocp_handle context))           \
    FUNCTION(stop, "rocprofiler_stop_context", DEVICE_NEEDED, int, (struct rocp_handle context))             \
    FUNCTION(record_counter, "rocprofiler_query_record_counter_id", DEVICE_NEEDED, int,                      \
             (uint64_t record, struct rocp_handle * counter))                                                \
    FUNCTION(record_position, "rocprofiler_query_record_dimension_position", DEVICE_NEEDED, int,             \
             (uint64_t record, uint64_t dimension, size_t * position))

#define ROCP_MEMBER(member, name, need, result, arguments) result(*member) arguments;
struct rocp_functions {
    ROCP_FUNCTIONS(ROCP_MEMBER)
};
