/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/device_activity.h"

#include <pthread.h>
#include <stdatomic.h>

/* The library of devices' activity: one object, which the vendors' parts
 * (cupti_activity.c, rocprofiler_activity.c, level_zero_activity.c) fill. */

/* A vendor's interface, started once. */
struct activity_vendor {
    const char *runtime;          /* the beginning of the file's name of what programs use its devices by */
    const char *const *variables; /* which name its libraries; NULL ends */
    bool (*shown)(void);          /* the kernel has a device of the vendor */
    int (*start)(bool in_driver, struct reason *why); /* in_driver: its runtime calls */
    uint64_t (*now)(void);                            /* the clock of its records */
    void (*flush)(bool all);          /* has it give what it has: by activity_record, on any thread */
    int (*check)(struct reason *why); /* an error: its records could not be read. NULL */
    uint64_t (*dropped)(void);        /* records that it had no room for */
    void (*describe)(struct device_activity *device); /* name and address of the device of a number */
    int (*count)(void); /* of the devices that this process may use, numbered from 0; -1: not known */
};
extern const struct activity_vendor cupti_vendor, rocprofiler_vendor, level_zero_vendor;

/* A vendor whose devices are recorded: its own state, and its clock and the library's at the start. */
struct activity_running {
    atomic_bool claimed; /* it is being started, or on */
    atomic_bool on;
    void *state;
    uint64_t clock, monotonic;
};

struct activity {
    pthread_mutex_t lock;       /* for all but the flags, elsewhere, vendor and watcher */
    atomic_bool begun, started; /* started: false in the child of a fork */
    bool forked;                /* this is one */
    atomic_bool measured;       /* times for which devices are busy are asked for */
    const struct device_watcher *_Atomic watcher;
    struct activity_running vendor[ACTIVITY_VENDORS]; /* stay as they are once they are on */
    bool (*elsewhere)(void);
    int n_devices;
    enum activity_vendor_number vendor_of[ACTIVITY_DEVICES];
    struct device_activity device[ACTIVITY_DEVICES];
    struct busy busy[ACTIVITY_DEVICES];
    uint64_t latest[ACTIVITY_VENDORS]; /* end of a record, so far */
    uint64_t no_room;                  /* records of further devices, or for want of memory */
};
extern struct activity activity __attribute__((visibility("hidden")));

/* A thread's calls of the runtime. */
struct activity_thread {
    int depth;                /* calls that it is inside of; the outermost one counts */
    bool elsewhere, launched; /* launched: the watcher was told of the outermost one */
    uint64_t since, offload;
};
extern _Thread_local struct activity_thread activity_thread __attribute__((visibility("hidden")));

/* Takes a record of something that ran on a device, with times of the vendor's clock; end before begin: it
 * has not ended. The place is found here. On any thread. */
void activity_record(enum activity_vendor_number vendor, const struct device_work *work);

/* Counts work of a device that has begun, but of which no record will come. */
void activity_unfinished(enum activity_vendor_number vendor, int device);

/* Notes that the calling thread enters a call of the runtime, or leaves it. launch: the number by which the
 * vendor's records name the call; 0: it launches nothing. */
void activity_enter(enum activity_vendor_number vendor, uint64_t launch);
void activity_leave(void);

/* CLOCK_MONOTONIC. */
uint64_t activity_clock(void);
