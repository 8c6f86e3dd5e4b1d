/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the functions of libnvidia-ml.so.1 by which the energy of devices is found: those of
 * double_cuda.c, with the energy that a test sets.
 */
#include "double_nvml.h"

#include <stdio.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

enum { OK = 0, UNINITIALIZED = 1, INVALID = 2, NOT_SUPPORTED = 3 };

VISIBLE struct double_nvml double_nvml;
extern struct double_cuda double_cuda;

static struct double_meter *meter_of(void *device)
{
    return device;
}

VISIBLE int nvmlInit_v2(void);
VISIBLE int nvmlInit_v2(void)
{
    for (int i = 0; i < DOUBLE_METERS && double_nvml.started == 0; i++)
        double_nvml.meter[i] = (struct double_meter){.number = double_cuda.first + i, .millijoules = 1000};
    double_nvml.started = 1;
    return OK;
}

VISIBLE int nvmlShutdown(void);
VISIBLE int nvmlShutdown(void)
{
    return OK;
}

VISIBLE const char *nvmlErrorString(int result);
VISIBLE const char *nvmlErrorString(int result)
{
    return result == 15 ? "GPU is lost" : "Some Error";
}

VISIBLE int nvmlDeviceGetCount_v2(unsigned *count);
VISIBLE int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = (unsigned)double_cuda.devices;
    return double_nvml.started ? OK : UNINITIALIZED;
}

VISIBLE int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
VISIBLE int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = &double_nvml.meter[index % DOUBLE_METERS];
    return index < (unsigned)double_cuda.devices ? OK : INVALID;
}

VISIBLE int nvmlDeviceGetName(void *device, char *name, unsigned size);
VISIBLE int nvmlDeviceGetName(void *device, char *name, unsigned size)
{
    (void)device;
    snprintf(name, size, "Stand-in");
    return OK;
}

VISIBLE int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
VISIBLE int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    (void)device;
    *milliwatts = 100000;
    return OK;
}

/* A device of before 2017 knows its power alone. */
VISIBLE int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
VISIBLE int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    struct double_meter *meter = meter_of(device);
    meter->readings++;
    *millijoules = meter->millijoules;
    return double_cuda.power_alone ? NOT_SUPPORTED : meter->result;
}

struct address {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char text[32];
};
VISIBLE int nvmlDeviceGetPciInfo_v3(void *device, struct address *address);
VISIBLE int nvmlDeviceGetPciInfo_v3(void *device, struct address *address)
{
    memset(address, 0, sizeof *address);
    address->bus = 0x3b + (unsigned)meter_of(device)->number;
    return OK;
}
