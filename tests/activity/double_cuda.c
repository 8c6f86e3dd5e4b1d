/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the functions of libcuda.so.1, as cuda.h declares them, that libpapi_activity uses.
 */
#include "double.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE struct double_cuda double_cuda = {.devices = 32};
VISIBLE _Thread_local int double_brings_records;

static int answer(int result)
{
    enum { DEADLOCK = 999 };
    double_cuda.in_records += double_brings_records;
    return double_cuda.injecting ? DEADLOCK : result;
}

/* Loads the tool that a variable names, as the driver does before it starts. */
static void inject(void)
{
    int (*function)(void);
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
    if (library == NULL)
        return;
    *(void **)&function = dlsym(library, "InitializeInjection");
    double_cuda.injecting = 1;
    if (function != NULL)
        function();
    double_cuda.injecting = 0;
}

VISIBLE int cuInit(unsigned flags);
VISIBLE int cuInit(unsigned flags)
{
    if (!double_cuda.injecting && !double_cuda.started)
        inject();
    double_cuda.started = double_cuda.init == 0 && flags == 0 && !double_cuda.injecting;
    return answer(double_cuda.init);
}

VISIBLE int cuDeviceGetCount(int *n);
VISIBLE int cuDeviceGetCount(int *n)
{
    *n = double_cuda.devices;
    return answer(double_cuda.started ? 0 : 3);
}

VISIBLE int cuDeviceGet(int *device, int number);
VISIBLE int cuDeviceGet(int *device, int number)
{
    *device = 100 + number;
    return answer(number < double_cuda.devices ? 0 : 101);
}

/* A name that fills its room is not terminated. */
VISIBLE int cuDeviceGetName(char *name, int size, int device);
VISIBLE int cuDeviceGetName(char *name, int size, int device)
{
    if (device == 100)
        snprintf(name, (size_t)size, "Stand-in A");
    else
        memset(name, 'B', (size_t)size);
    return answer(0);
}

VISIBLE int cuDeviceGetPCIBusId(char *address, int size, int device);
VISIBLE int cuDeviceGetPCIBusId(char *address, int size, int device)
{
    snprintf(address, (size_t)size, "0000:%02x:00.0", device - 100 + double_cuda.first + 0x3b);
    return answer(0);
}
