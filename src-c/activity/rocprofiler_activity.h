/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "activity/activity.h"
#include "activity/kfd.h"
#include "components/device/rocprofiler.h"

/* The rocprofiler-sdk of this process, and the part that reads its records and callbacks. */

enum { ROCP_KINDS = 64, ROCP_OPERATIONS = 1024, ROCP_AGENTS = 256 };
enum { ROCP_PHASE_ENTER = 1, ROCP_PHASE_EXIT = 2 };

/* A callback's argument, by value: a context, a thread, the call's number and what else identifies it, which
 * is one word or two; then its kind and operation, its phase, and where its own data are. */
struct rocp_call {
    uint64_t word[8];
};

typedef void rocp_call_function(struct rocp_call call, void *user_data, void *data);

struct rocp_tracing_functions {
    int (*version)(uint32_t *major, uint32_t *minor, uint32_t *patch);
    const char *(*text)(int status);
    int (*is_initialized)(int *status), (*configure)(rocp_configure_function *function);
    int (*agents)(int version, int (*each)(int version, const void **agents, size_t n, void *data),
                  size_t agent_size, void *data);
    int (*timestamp)(uint64_t *ns), (*create_context)(struct rocp_handle *context);
    int (*create_buffer)(struct rocp_handle context, size_t size, size_t watermark, int policy,
                         rocp_buffer_function *function, void *data, struct rocp_handle *buffer);
    int (*flush)(struct rocp_handle buffer), (*start)(struct rocp_handle context);
    int (*trace)(struct rocp_handle context, int kind, int *operation, size_t n, struct rocp_handle buffer);
    int (*call_back)(struct rocp_handle context, int kind, int *operation, size_t n,
                     rocp_call_function *function, void *data);
    int (*buffer_kind)(int kind, const char **name, uint64_t *length);
    int (*call_kind)(int kind, const char **name, uint64_t *length);
    int (*buffer_operation)(int kind, int operation, const char **name, uint64_t *length);
    int (*call_operation)(int kind, int operation, const char **name, uint64_t *length);
};

/* Kinds of callbacks; the first alone is there in every version. */
enum rocp_call_kind {
    ROCP_HIP_CALL,
    ROCP_CODE_OBJECT,
    ROCP_KERNEL_LAUNCH,
    ROCP_COPY_LAUNCH,
    ROCP_CALL_KINDS
};

struct rocprofiler {
    struct rocp_tracing_functions call;
    void *library;
    struct rocp_tool tool;
    uint32_t version[3];
    int status; /* of the configuration */
    bool configured;
    struct rocp_handle context, buffer;
    int kernel_kind, copy_kind, kind_of_call[ROCP_CALL_KINDS];
    bool launches[ROCP_OPERATIONS]; /* calls of HIP after which a device has something to do */
    int symbol_operation, enqueue_operation;
    enum device_work_kind direction[ROCP_KINDS];
    int n_agents;
    struct {
        uint64_t id;
        int device; /* its number; -1: a processor */
    } agent[ROCP_AGENTS];
    struct kfd_device device[ACTIVITY_DEVICES];
    int n_devices;
    uint64_t begun;
    _Atomic uint64_t n_dropped;
    _Atomic bool unknown; /* a record or a callback was not as it should be */
    _Atomic uint64_t launched[ACTIVITY_DEVICES], recorded[ACTIVITY_DEVICES];
    pthread_mutex_t lock;
    char **symbol; /* of a kernel, by its number */
    size_t n_symbols;
};

/* The state, as the vendor's part has it. */
static inline struct rocprofiler *rocprofiler(void)
{
    return activity.vendor[ACTIVITY_AMD].state;
}

/* The library's clock. */
uint64_t rocp_now(void);

/* Takes its list of agents; data: the state. */
int rocp_note_agents(int version, const void **agents, size_t n, void *data);

/* Takes a buffer's records. */
rocp_buffer_function rocp_take_buffer;

/* Takes a callback; data: which of the kinds. */
rocp_call_function rocp_around_call;
