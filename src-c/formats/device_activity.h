/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/busy.h"
#include "base/reason.h"

/* The interface of libpapi_activity: what the devices of a process do for it. Whoever wants to know loads the
 * library, asks for its functions by name, and starts it once; a process that does not has none of its costs.
 * Times are in nanoseconds. */

/* A profile's event, and its routine around work whose launch nobody saw. */
#define DEVICE_TIME "device time"
#define LAUNCH_UNSEEN "(launched by a call that was not seen)"

#define DEVICE_ACTIVITY_LIBRARY "libpapi_activity.so"
#define DEVICE_ACTIVITY_FUNCTION "papi_device_activity"

enum { DEVICE_ACTIVITY_VERSION = 4, ACTIVITY_DEVICES = 16, ACTIVITY_NAME = 64, ACTIVITY_ADDRESS = 16 };

/* Whose devices there are. */
enum activity_vendor_number { ACTIVITY_NVIDIA, ACTIVITY_AMD, ACTIVITY_INTEL, ACTIVITY_VENDORS };

/* A device that did something, by its place from 0 on. Totals are those of the last settlement. */
struct device_activity {
    int number;                     /* as its vendor's runtime numbers it in the process, from 0 */
    char name[ACTIVITY_NAME];       /* its model, "": the driver does not say */
    char address[ACTIVITY_ADDRESS]; /* on the PCI bus, "0000:3b:00.0", which no other device of the node has;
                                       "" */
    struct busy_time busy;
    uint64_t kernels, copies, copied_bytes; /* a copy: between memories, or of a value into one */
    uint64_t late_ns;                       /* of busy, what is missing since it came too late: at most */
    uint64_t unfinished; /* what has no end, or none that the device tells: its time is missing */
};

/* Kinds of work that a device does. */
enum device_work_kind {
    WORK_KERNEL,
    WORK_COPY_IN,   /* from the host's memory to a device's */
    WORK_COPY_OUT,  /* back */
    WORK_COPY_ON,   /* within a device */
    WORK_COPY_OVER, /* from one device to another */
    WORK_COPY,      /* any other, or the driver does not say */
    WORK_SET,       /* a value into memory */
    WORK_KINDS
};

/* A kernel, a copy or a setting that ran. */
struct device_work {
    int device; /* as its vendor's runtime numbers it in the process */
    int place;  /* among devices: no other one's, also where there are devices of several vendors */
    enum device_work_kind kind;
    const char *name;    /* of a kernel, as its linker has it; else, or if it is not known, "" */
    uint64_t begin, end; /* of CLOCK_MONOTONIC */
    uint64_t bytes;      /* not of kernels */
    uint64_t launch;     /* the call that launched it, as the watcher was told of it; 0: not known */
};

/* Somebody who wants each of them, and where it was launched. */
struct device_watcher {
    /* The calling thread enters a call that launches work. again: within one of which it was told already, so
     * that both are of the same place in the program. */
    void (*launch)(uint64_t launch, bool again);

    /* Work has ended. On any thread, one at a time; the name is there during the call. */
    void (*work)(const struct device_work *work);
};

struct device_activity_functions {
    /* Begins to record. elsewhere: true while the calling thread's time is accounted to another cause (a call
     * of MPI); NULL: never. PAPI_ENOSUPP: no driver, no device, no library; PAPI_EPERM; PAPI_ECNFLCT: another
     * tool records already. A second call does nothing. PAPI_OK with a reason: devices of one vendor are
     * recorded, but not those of another, which a variable names, or the program uses and the kernel has. */
    int (*start)(bool (*elsewhere)(void), struct reason *why);

    /* Has a watcher told of all work from now on, besides what start asks for, and begins to record. driver:
     * whose runtime calls while it starts, so that it can be asked for little yet: these devices alone are
     * begun with, and the same watcher can ask for others later; ACTIVITY_VENDORS: none calls, and all are
     * begun with. Errors are those of start; PAPI_EISRUN: there is a watcher already. */
    int (*watch)(const struct device_watcher *watcher, enum activity_vendor_number driver,
                 struct reason *why);

    /* Time that the calling thread has spent in calls of the devices' runtime so far, but for those where it
     * was elsewhere. Safe in handlers. */
    uint64_t (*offload)(void);

    /* Marks this moment, for settle; of: the caller's number. False: no memory. */
    bool (*mark)(uint64_t of);

    /* Takes in what the devices have done and tells, for each device by its place, of each mark the time that
     * the device was busy until then. all: nothing more will come; otherwise marks of the last seconds wait,
     * as records may still come. PAPI_ENOMEM: nothing is lost; PAPI_ENOSUPP: records came that the library
     * cannot read, and no figure is to be trusted. */
    int (*settle)(bool all, void (*tell)(void *to, int device, uint64_t of, struct busy_time time), void *to,
                  struct reason *why);

    /* The devices that did something; and records that the driver had no room for, or that there is no place
     * for here. */
    int (*devices)(const struct device_activity **device);
    uint64_t (*dropped)(void);

    /* The devices that the process may use, with number, name and address: those that neither a variable such
     * as CUDA_VISIBLE_DEVICES nor a container hides. At most so many come into device; their number, which
     * may be more. -1: the driver does not tell, or nothing is recorded. */
    int (*usable)(struct device_activity *device, int most);
};

/* The functions of a version; NULL: the library is of another one. */
typedef const struct device_activity_functions *device_activity_function(int version);
device_activity_function papi_device_activity;
