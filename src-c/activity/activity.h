/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/device_activity.h"

#include <pthread.h>
#include <stdatomic.h>

/* The library of devices' activity: one object, which a vendor's part (cupti_activity.c) fills. */

/* A vendor's interface, started once. */
struct activity_vendor {
    int (*start)(bool in_driver, struct reason *why); /* in_driver: as watch has it */
    uint64_t (*now)(void);                            /* the clock of its records */
    void (*flush)(bool all);   /* has it give what it has: by activity_record, on any thread */
    uint64_t (*dropped)(void); /* records that it had no room for */
    void (*describe)(struct device_activity *device); /* name and address of the device of a number */
    int (*count)(void); /* of the devices that this process may use, numbered from 0; -1: not known. NULL */
};
extern const struct activity_vendor cupti_vendor;

struct activity {
    pthread_mutex_t lock; /* for all but started, elsewhere, vendor and watcher */
    atomic_bool started;  /* false in the child of a fork */
    atomic_bool starting; /* a thread is in the vendor's start */
    atomic_bool measured; /* times for which devices are busy are asked for */
    const struct device_watcher *_Atomic watcher;
    const struct activity_vendor *vendor; /* stays as it is once it is started */
    void *of_vendor;                      /* its own */
    bool (*elsewhere)(void);
    int n_devices;
    struct device_activity device[ACTIVITY_DEVICES];
    struct busy busy[ACTIVITY_DEVICES];
    uint64_t latest;  /* end of a record, so far */
    uint64_t no_room; /* records of further devices, or for want of memory */
};
extern struct activity activity __attribute__((visibility("hidden")));

/* A thread's calls of the runtime. */
struct activity_thread {
    int depth;                /* calls that it is inside of; the outermost one counts */
    bool elsewhere, launched; /* launched: the watcher was told of the outermost one */
    uint64_t since, offload;
};
extern _Thread_local struct activity_thread activity_thread __attribute__((visibility("hidden")));

/* Takes a record of something that ran on a device. On any thread. */
void activity_record(const struct device_work *work);

/* Notes that the calling thread enters a call of the runtime, or leaves it. launch: the number by which
 * records name the call; 0: it launches nothing. */
void activity_enter(uint64_t launch);
void activity_leave(void);
