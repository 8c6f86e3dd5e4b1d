/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/device/device_session.h"
#include "components/device/rocprofiler.h"
#include <pthread.h>

/* rocprofiler-sdk in this process: opened when it is first needed, and kept. */

enum { ROCP_DIMENSIONS = 8 };

/* A counter of one device; the devices of a node may be different ones. */
struct rocp_counter {
    char *name;
    struct rocp_handle id;
    bool ratio, constant;
};

struct rocp_plan;

struct rocp_device {
    struct rocp_handle agent, context;
    struct rocp_counter *counter;
    int n_counters;
    struct rocp_plan *running; /* guarded by rocp.lock where kernels are counted */
    int config_status;         /* of the answer to the library's question for a configuration */
    bool config_asked;
};

struct rocp {
    struct rocp_functions call;
    void *library;
    struct device_owners owners;
    bool dispatch; /* counts kernels, and not the device as such */
    struct reason cannot_count;
    bool configured;
    int n_devices;
    struct rocp_device device[MOST_DEVICES];
    struct rocp_tool tool;

    /* Kernels that are counted. */
    pthread_mutex_t lock;
    pthread_cond_t recorded;
    struct rocp_handle context;
    pthread_mutex_t switching; /* held before the other one, and while the context starts or stops */
    int n_running;             /* devices that are counted; of whoever switches */
    uint64_t serial;           /* of the last start */
};

/* The library of this process, opened where it is not. PAPI_ENOSUPP: it cannot be. */
int rocp_open(const char *root, struct rocp **out, struct reason *why);

/* Makes the process a client of the library, before the program uses a device: once. PAPI_ENOSUPP. */
int rocp_configure(struct rocp *rocp, struct reason *why);

/* A sentence of a call that failed, with the library's words. */
int rocp_failed(const struct rocp *rocp, int status, const char *what, struct reason *why);

/* ---- names */

/* An event: a counter of a device, in one instance of some dimensions and added up over the others. */
struct rocp_event {
    int device, n_dimensions;
    const struct rocp_counter *counter;
    size_t instances; /* of all its dimensions */
    struct rocp_position {
        uint64_t dimension;
        size_t position;
    } at[ROCP_DIMENSIONS];
};

/* A counter's dimensions; those beyond ROCP_DIMENSIONS make it -1. */
struct rocp_dimension {
    char name[40];
    size_t instances;
    uint64_t id;
};
int rocp_dimensions(const struct rocp *rocp, const struct rocp_counter *counter,
                    struct rocp_dimension dimension[ROCP_DIMENSIONS]);

/* The device's counter of a name; NULL: it has none. */
const struct rocp_counter *rocp_counter(const struct rocp_device *device, const char *name);

/* The event of a listed one's name and qualifiers. PAPI_ENOEVNT. */
int rocp_event(const struct rocp *rocp, const char *name, struct rocp_event *event, struct reason *why);

extern const struct component_variants rocp_variants;

/* ---- counting */

extern const struct device_counting rocp_counting;

/* Functions that the library calls: on a start of a device, on a kernel's launch, and when it has ended. */
rocp_device_function rocp_choose_config;
rocp_dispatch_function rocp_kernel_launched;
rocp_record_function rocp_kernel_recorded;
