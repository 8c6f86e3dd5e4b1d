/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* NVIDIA's driver, of which a device is asked for its properties, and measured. */

/* Properties, by the driver's numbers; clocks are in kHz. */
enum cuda_property {
    CUDA_CLOCK = 13,
    CUDA_PROCESSORS = 16,
    CUDA_ECC = 32,
    CUDA_MEMORY_CLOCK = 36,
    CUDA_MEMORY_BITS = 37,
    CUDA_CACHE = 38,
    CUDA_THREADS = 39, /* of a multiprocessor, at most */
    CUDA_MAJOR = 75,
    CUDA_MINOR = 76,
};

struct cuda_driver {
    void *library;
    const char *wanted; /* "computed" or "measured", for its sentences */
    int device;         /* its handle */
    int (*init)(unsigned flags);
    int (*count)(int *n);
    int (*get)(int *device, int number);
    int (*name)(char *name, int size, int device);
    int (*attribute)(int *value, int attribute, int device);
};

/* Finds a function of the driver; place: a pointer to one. */
bool cuda_driver_find(void *library, const char *name, void *place);

/* Starts the driver, and asks it for the device of a number, and its name. NULL, or why there is none, a
 * sentence to be freed. */
char *cuda_driver_open(struct cuda_driver *driver, int number, char *name, size_t size);

/* Says where roofs come from elsewhere: the end of a sentence, to be freed. */
char *cuda_driver_else(const struct cuda_driver *driver);
