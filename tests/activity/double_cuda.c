/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the functions of libcuda.so.1, as cuda.h declares them, that libpapi_activity uses.
 */
#include "double.h"

#include <stdio.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE struct double_cuda double_cuda = {.devices = 32};
VISIBLE _Thread_local int double_brings_records;

static int answer(int result)
{
    double_cuda.in_records += double_brings_records;
    return result;
}

VISIBLE int cuInit(unsigned flags);
VISIBLE int cuInit(unsigned flags)
{
    double_cuda.started = double_cuda.init == 0 && flags == 0;
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
    snprintf(address, (size_t)size, "0000:%02x:00.0", device - 100 + 0x3b);
    return answer(0);
}
