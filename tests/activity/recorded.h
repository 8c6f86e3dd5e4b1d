/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "double.h"
#include "formats/device_activity.h"
#include "papi.h"
#include "testing.h"

/* A process with libpapi_activity and a library that stands for a vendor's, and what is heard of them. */

enum { RECORDED_KERNEL = 10, RECORDED_COPY = 1, RECORDED_ENTER = 0, RECORDED_EXIT = 1, RECORDED_MARKS = 8 };

struct recorded {
    const struct device_activity_functions *library;
    void *vendor;           /* as dlopen has it */
    double_give_work *give; /* NULL, as call: the library has another way */
    double_call_of *call;
    struct busy_time told[ACTIVITY_DEVICES][RECORDED_MARKS];
    int n_told, n_work, n_launches;
    struct device_work work[16];
    char name[16][32];
    uint64_t launch[8];
    bool again[8];
};
extern struct recorded recorded;
extern const struct device_watcher recorded_watcher;

/* Loads both; vendor: the library's name, NULL: none. Nothing is started. */
void recorded_load(const char *vendor);
void *recorded_symbol(const char *name);

/* Loads, and starts to record for a watcher and for sums. */
void recorded_start(const char *vendor);

/* The start is refused with this code, and a sentence that has this part. */
void recorded_refused(int code, const char *part);

/* Takes records in, all: up to the last: the number of devices. */
int recorded_settle(bool all);
const struct device_activity *recorded_device(int i);

/* Runs a test in a process of its own: the library is started once in each. */
void recorded_alone(void (*test)(void));
#define RECORDED_ALONE(name)                                                                                 \
    static void test_##name(void **state)                                                                    \
    {                                                                                                        \
        (void)state;                                                                                         \
        recorded_alone(name);                                                                                \
    }
