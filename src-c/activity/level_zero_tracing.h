/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include "components/device/level_zero.h"
#include "formats/device_activity.h"

#include <pthread.h>
#include <stdatomic.h>

/* Numbers, structures and functions of Level Zero by which work is traced, and the part that traces. The
 * numbers, structures and places are those of its header, with which a test compares them. */

enum {
    LZ_DEVICE_PROPERTIES_1_2 = 0x20006,
    LZ_EVENT_POOL = 0x10,
    LZ_EVENT_IN_POOL = 0x11,
    LZ_MEMORY = 0x17,
    LZ_PCI = 0x10008,
    LZ_TRACER = 1
};
enum { LZ_POOL_FOR_HOST = 1, LZ_POOL_FOR_PROCESSES = 2, LZ_POOL_WITH_TIMES = 4 };
enum { LZ_MEMORY_UNKNOWN, LZ_MEMORY_OF_HOST, LZ_MEMORY_OF_DEVICE };

/* Places in the table of callbacks. */
enum lz_call {
    LZ_CONTEXT_DESTROY = 21,
    LZ_QUEUE_EXECUTE = 30,
    LZ_QUEUE_SYNCHRONIZE = 31,
    LZ_LIST_CREATE = 32,
    LZ_LIST_CREATE_IMMEDIATE = 33,
    LZ_LIST_DESTROY = 34,
    LZ_LIST_RESET = 36,
    LZ_APPEND_COPY = 40,
    LZ_APPEND_FILL = 41,
    LZ_APPEND_COPY_REGION = 42,
    LZ_APPEND_KERNEL = 54,
    LZ_APPEND_COOPERATIVE_KERNEL = 55,
    LZ_APPEND_KERNEL_INDIRECT = 56,
    LZ_FENCE_SYNCHRONIZE = 60,
    LZ_POOL_CREATE = 63,
    LZ_POOL_DESTROY = 64,
    LZ_EVENT_CREATE = 68,
    LZ_EVENT_DESTROY = 69,
    LZ_EVENT_SYNCHRONIZE = 71,
    LZ_EVENT_RESET = 73,
    LZ_CALLS = 120
};

/* A call's parameters are pointers to its arguments, in their order. */
typedef void lz_callback(void **parameter, int result, void *of_tracer, void **of_call);
struct lz_callbacks {
    lz_callback *call[LZ_CALLS];
};

struct lz_tracer {
    int structure;
    const void *next;
    void *user_data;
};

struct lz_event_pool {
    enum lz_structure structure;
    const void *next;
    uint32_t flags, count;
};

struct lz_event {
    enum lz_structure structure;
    const void *next;
    uint32_t index, signal, wait;
};

struct lz_times {
    uint64_t begin, end; /* in ticks of the device's clock */
    uint64_t of_context_alone[2];
};

struct lz_memory {
    enum lz_structure structure;
    void *next;
    int type;
    uint64_t id, page;
};

struct lz_pci {
    enum lz_structure structure;
    void *next;
    uint32_t domain, bus, device, function;
    struct {
        int32_t generation, width;
        int64_t bandwidth;
    } speed;
};

struct lz_region {
    uint32_t x, y, z, width, height, depth;
};

struct lz_tracing_functions {
    int (*init)(uint32_t flags);
    int (*drivers)(uint32_t *n, void **driver);
    int (*devices)(void *driver, uint32_t *n, void **device);
    int (*tiles)(void *device, uint32_t *n, void **tile);
    int (*properties)(void *device, struct lz_device_properties *properties);
    int (*pci)(void *device, struct lz_pci *pci);
    int (*clocks)(void *device, uint64_t *host, uint64_t *device_clock);
    int (*memory)(void *context, const void *address, struct lz_memory *memory, void **device);
    int (*kernel_name)(void *kernel, size_t *size, char *name);
    int (*create_pool)(void *context, const struct lz_event_pool *wanted, uint32_t n, void **device,
                       void **pool);
    int (*destroy_pool)(void *pool), (*destroy_event)(void *event), (*reset_event)(void *event);
    int (*create_event)(void *pool, const struct lz_event *wanted, void **event);
    int (*event_status)(void *event), (*event_times)(void *event, struct lz_times *times);
    int (*enable_layer)(void);
    int (*create_tracer)(const struct lz_tracer *wanted, void **tracer), (*destroy_tracer)(void *tracer);
    int (*prologues)(void *tracer, struct lz_callbacks *callbacks);
    int (*epilogues)(void *tracer, struct lz_callbacks *callbacks);
    int (*set_enabled)(void *tracer, uint8_t enable);
};

/* ---- handles */

/* A set of handles, each with a number. Begins as zeroes. */
struct lz_handles {
    struct lz_handle {
        const void *handle; /* NULL: the place is free */
        uint64_t number;
    } * place;
    size_t room, n; /* room: 0 or a power of two */
};

/* False: no memory. */
bool lz_handles_put(struct lz_handles *handles, const void *handle, uint64_t number);
/* The number; false: it is not in the set. */
bool lz_handles_get(const struct lz_handles *handles, const void *handle, uint64_t *number);
void lz_handles_remove(struct lz_handles *handles, const void *handle);

/* ---- tracing */

struct lz_device {
    void *handle;
    double tick_ns;
    uint64_t mask; /* the bits of a kernel's times: they begin anew */
    char name[ACTIVITY_NAME], address[ACTIVITY_ADDRESS];
};

struct lz_entry;

/* Level Zero in this process. */
struct level_zero {
    struct lz_tracing_functions call;
    void *library, *tracer;
    struct lz_device device[ACTIVITY_DEVICES];
    int n_devices;
    struct lz_handles units; /* devices and their tiles: the device's number */

    pthread_mutex_t lock;                               /* for the rest */
    struct lz_handles lists, timed_pools, timed_events; /* a list: its place in list */
    struct lz_list {
        void *handle, *context; /* handle NULL: the place is free */
        int device;
        bool immediate;
    } * list;
    int n_lists;
    struct lz_entry *entry; /* work that has not been seen to end */
    int n_entries;
    struct lz_own_event {
        void *handle, *context;
    } * spare, *pool; /* events and pools that are this library's */
    int n_spare, n_pools;
    _Atomic uint64_t n_launches, n_dropped;
};

/* Fills the tables of callbacks. */
void lz_fill_callbacks(struct lz_callbacks *prologues, struct lz_callbacks *epilogues);

/* Takes the times of what has ended. all: counts what has been submitted and has not ended. */
void lz_take_ended(bool all);

/* The state, as the vendor's part has it. */
struct level_zero *level_zero(void);
